import type { Mirror } from '../ports.js';

/** For what no tracker shows. */
export const noMirror: Mirror = {
  async show() {},
  async remove() {},
};
