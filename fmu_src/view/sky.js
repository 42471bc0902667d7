// What is around the craft: stars, light, the planet, and the orbit as it is seen from far.
import { dot } from "./names.js";
import { data, floats } from "./page.js";
import { UPWARD, camera, controls, stage, world } from "./stage.js";
import { state } from "./state.js";

const NIGHT = 0x070d16;
const STARS = 900;
let planet, orbit, skies = [];

stage.background = new THREE.Color(NIGHT);
const soft = new THREE.HemisphereLight(0xffffff, 0x46566b, 0.5), beside = new THREE.DirectionalLight(0xffffff, 0.3);  // from the camera
export const sun = new THREE.DirectionalLight(0xfff4e0, 0.95);
stage.add(soft, beside, beside.target, sun, sun.target);

/** Stars in inertial axes: the same ones on every page, not those of a catalogue. */
function stars() {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const places = [], colors = [];
  while (places.length < 3 * STARS) {
    const z = 2 * random() - 1, angle = 2 * Math.PI * random(), r = Math.sqrt(1 - z * z), bright = 0.12 + 0.75 * random() ** 6;
    places.push(r * Math.cos(angle), r * Math.sin(angle), z);
    colors.push(bright, bright, bright);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
  const out = new THREE.Points(geometry, new THREE.PointsMaterial({ size: 2, sizeAttenuation: false, vertexColors: true, depthTest: false, depthWrite: false }));
  Object.assign(out, { frustumCulled: false, renderOrder: -3 });
  return out;
}

/** A planet with meridians and parallels each 15 degrees, lit by the Sun where there is one, in a thin air. behindAll: nothing is
 *  farther away, so that depths suit the craft. */
function globe(radius, behindAll) {
  const uniforms = { sun: { value: new THREE.Vector3() } };
  const shell = (size, side, parts, fragment) => new THREE.Mesh(
    new THREE.SphereGeometry(size, 2 * parts, parts),
    new THREE.ShaderMaterial({
      uniforms, side, depthTest: !behindAll, depthWrite: !behindAll && side === THREE.FrontSide,
      blending: side === THREE.BackSide ? THREE.AdditiveBlending : THREE.NormalBlending,  // among what is not transparent: that comes later
      vertexShader: `varying vec3 up; varying float facing;
        void main() {
          vec4 place = modelViewMatrix * vec4(position, 1.0);
          up = normalize(position); facing = dot(normalize(normalMatrix * position), normalize(-place.xyz));
          gl_Position = projectionMatrix * place;
        }`,
      fragmentShader: `uniform vec3 sun; varying vec3 up; varying float facing;
        float day() { return length(sun) > 0.0 ? smoothstep(-0.12, 0.25, dot(normalize(up), sun)) : 1.0; }
        float line(float x) { float w = fwidth(x); return w > 0.5 ? 0.0 : 1.0 - smoothstep(0.6 * w, 1.6 * w, abs(fract(x + 0.5) - 0.5)); }
        void main() { ${fragment} }`,
    }));
  const ground = shell(radius, THREE.FrontSide, 80, `
    vec3 n = normalize(up);
    vec2 grid = vec2(atan(n.y, n.x), asin(clamp(n.z, -1.0, 1.0))) * (12.0 / 3.14159265);
    float lines = max(abs(n.z) > 0.985 ? 0.0 : line(grid.x), line(grid.y));
    vec3 color = mix(vec3(0.04, 0.16, 0.36), vec3(0.62, 0.70, 0.76), smoothstep(0.86, 0.97, abs(n.z)));
    color = mix(color, vec3(0.55, 0.68, 0.80), 0.45 * lines);
    color = mix(color, vec3(0.40, 0.65, 0.95), pow(1.0 - clamp(facing, 0.0, 1.0), 3.0));
    gl_FragColor = vec4(color * (0.07 + 0.93 * day()), 1.0);`);
  const air = shell(1.025 * radius, THREE.BackSide, 48, `
    gl_FragColor = vec4(0.35, 0.62, 1.0, (0.1 + 0.9 * day()) * pow(clamp(-facing / 0.22, 0.0, 1.0), 2.0));`);
  ground.renderOrder = -1; air.renderOrder = -2;
  for (const each of [ground, air]) each.frustumCulled = false;
  const out = new THREE.Group().add(air, ground);
  out.userData.sun = uniforms.sun.value;
  return out;
}

export function makeSky(root) {
  skies = [stars()];
  stage.add(skies[0]);
  if (!data.planet) return;
  planet = globe(data.planet, true);
  root.add(planet);
  const way = (color) => new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color }));
  orbit = { stage: new THREE.Scene(), globe: globe(1, false), way: way(0xffb347), whole: way(0x5b6b80), mark: dot(0.02), sky: stars() };
  orbit.stage.background = stage.background;
  orbit.stage.add(orbit.sky, orbit.globe, orbit.whole, orbit.way, orbit.mark);
  orbit.stage.quaternion.copy(UPWARD);
}

/** What is seen from far. */
export const farStage = () => orbit.stage;

/** The way of the run, and the whole orbit that it is a part of. */
export function drawOrbit() {
  const { run } = state;
  if (!orbit || !run.orbit) return;
  run.whole ??= floats(run.ellipse);
  for (const [line, places] of [[orbit.way, run.orbit.values], [orbit.whole, run.whole]]) {
    line.geometry.dispose();
    line.geometry = new THREE.BufferGeometry();
    line.geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
    line.frustumCulled = false;
  }
}

/** Light from the Sun, where the run has one, unless the planet is before it; else over the shoulder. q_NS: of the frame's axes to inertial ones. */
export function light(frame, share, q_NS) {
  const { run } = state, inertial = q_NS.clone().invert(), outer = world.quaternion.clone().multiply(UPWARD);  // S to the stage
  const to = run.arrows.Sun && new THREE.Vector3(...run.arrows.Sun.at(frame, share)).normalize();
  skies[0].quaternion.copy(outer).multiply(inertial);
  skies[0].position.copy(camera.position); skies[0].scale.setScalar(2 * camera.position.distanceTo(controls.target));
  let lit = 1;
  if (planet && run.planet) {
    const center = new THREE.Vector3(...run.planet.at(frame, share));
    planet.position.copy(center); planet.quaternion.copy(inertial);
    if (to) {
      const along = center.dot(to);
      if (along > 0 && center.clone().addScaledVector(to, -along).length() < data.planet) lit = 0.05;
      for (const each of [planet, orbit.globe]) each.userData.sun.copy(to).applyQuaternion(q_NS);
    }
    orbit.mark.position.set(...run.orbit.at(frame, share));
    orbit.sky.position.copy(camera.position).applyQuaternion(UPWARD.clone().invert()); orbit.sky.scale.setScalar(10);
  }
  sun.intensity = 0.95 * lit;
  const aim = to ? to.applyQuaternion(outer) : new THREE.Vector3(0.35, 0.85, 0.45);
  sun.target.position.copy(controls.target); sun.position.copy(controls.target).addScaledVector(aim, data.size);
  beside.position.copy(camera.position); beside.target.position.copy(controls.target);
}
