// What changes while someone looks.

/** run: the clip that is shown; time [s] in it; due: something has changed since the last picture; follow: the body that the camera
 *  goes along with, if any, and where that stood. */
export const state = { run: null, time: 0, playing: false, due: true, follow: null, stood: new THREE.Vector3() };

export const start = () => state.run.time[0];
export const span = () => Math.max(state.run.time[state.run.time.length - 1] - state.run.time[0], 1e-9);

export function seek(time) {
  state.time = Math.min(Math.max(time, start()), start() + span());
}
