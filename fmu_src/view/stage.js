// Where all of it stands: the stage and the camera before it.
import { at } from "./page.js";

/** Where WebGL is missing, nothing is drawn, and all else goes on. */
const NO_RENDERER = { domElement: document.createElement("canvas"), info: { render: { triangles: 0 } }, setPixelRatio() {}, setSize() {}, render() {} };
const webgl = Boolean(document.createElement("canvas").getContext("webgl2") ?? document.createElement("canvas").getContext("webgl"));
export const renderer = webgl ? new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true }) : NO_RENDERER;
renderer.outputEncoding = THREE.sRGBEncoding;
at("stage").hidden = !webgl;
at("stage").appendChild(renderer.domElement);
export const stage = new THREE.Scene(), camera = new THREE.PerspectiveCamera(40, 1, 1e-3, 1e9);
export const controls = new THREE.TrackballControls(camera, renderer.domElement);
controls.rotateSpeed = 2.5; controls.zoomSpeed = 1.2; controls.dynamicDampingFactor = 0.2;
export const world = new THREE.Group();  // turns from the frame's axes to inertial ones, if asked to
stage.add(world);
export const UPWARD = new THREE.Quaternion(-Math.SQRT1_2, 0, 0, Math.SQRT1_2);  // from z upward, as craft are described, to y upward
export const bodies = {};  // nodes of the scene by name of the body

export function resize() {
  const { clientWidth: wide, clientHeight: high } = at("stage");
  renderer.setPixelRatio(devicePixelRatio);
  renderer.setSize(wide, high);
  camera.aspect = wide / Math.max(high, 1);
  const aside = wide > 900 ? 60 : 0;  // the middle between plots and choices
  camera.setViewOffset(wide, high, -aside, 0, wide, high);
  controls.handleResize();
}
