// What keys do: run and pause, pulses of inputs by digits, and, where the view has the focus, the camera.
import { at } from "../view/page.js";
import { camera, controls } from "../view/stage.js";
import { state } from "../view/state.js";
import { pulseOf } from "./inputs.js";

const TURN = 0.1, NEARER = 0.9;  // [rad] and share of the distance for each press of a key
const STAGE = {
  "+": () => turn(0, 0, NEARER), "-": () => turn(0, 0, 1 / NEARER),
  ArrowLeft: () => turn(-TURN, 0), ArrowRight: () => turn(TURN, 0), ArrowUp: () => turn(0, TURN), ArrowDown: () => turn(0, -TURN),
};

/** keys: what each does; none is taken from a field or a button that has a use for it. */
export function listen(keys) {
  addEventListener("keydown", (event) => {
    const { key, target } = event, { tagName, type } = target, digit = /^[1-9]$/.test(key);
    const typing = tagName === "SELECT" || (tagName === "INPUT" && (["number", "search"].includes(type) || !digit));
    const does = digit ? pulseOf(key) : keys[key] ?? (target === at("stage") ? STAGE[key] : undefined);
    if (typing || (key === " " && ["BUTTON", "SUMMARY"].includes(tagName)) || !does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    does();
  });
}

/** Turns the camera about what is looked at [rad], and goes nearer or farther by a factor. */
function turn(aside, up, factor = 1) {
  const away = camera.position.clone().sub(controls.target), right = new THREE.Vector3().crossVectors(camera.up, away).normalize();
  away.applyAxisAngle(camera.up, aside).applyAxisAngle(right, -up).multiplyScalar(factor);
  camera.position.copy(controls.target).add(away);
  camera.up.applyAxisAngle(right, -up);
  state.due = true;
}
