// The scene: a glTF file, its bodies by name, and what is drawn on and around them.
import { decorate } from "./marks.js";
import { at, bytes, data } from "./page.js";
import { makeSky } from "./sky.js";
import { bodies, world } from "./stage.js";

/** Reads the page's glTF file; `done` gets it when everything stands. */
export function loadScene(done) {
  new THREE.GLTFLoader().parse(bytes(data.glb), "", (gltf) => {
    world.add(gltf.scene);
    gltf.scene.traverse((node) => {
      const name = (node.userData && node.userData.name) || node.name;
      if (node.isMesh || node.isLine) node.frustumCulled = false;  // bent further than the boxes around the shapes know
      if (node.isMesh) Object.assign(node.material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });  // lines lie on it
      if (name.startsWith("body ")) bodies[name.slice(5)] = node;
    });
    decorate(gltf.scene.children[0], gltf.scene);
    makeSky(gltf.scene.children[0]);
    done(gltf);
  }, (error) => { at("notes").textContent = "the scene can't be read: " + error; });
}
