import type { LostReason } from '../engine/outcome.js';
import type { Handle } from '../ports.js';
import { createUntilClear } from '../protocol/create.js';
import { type Known, observe } from '../protocol/observe.js';
import type { Progress } from '../protocol/transact.js';
import type { World } from './world.js';

/** Keeps the handle of the claim that a mode works on, each step saved before the next is taken. */
export class Keeper {
  readonly #world: World;
  readonly #save: (handle: Handle) => void;
  #handle: Handle | undefined;

  constructor(
    world: World,
    handle?: Handle,
    save: (handle: Handle) => void = (saved) => world.handles.save(saved),
  ) {
    this.#world = world;
    this.#save = save;
    this.#handle = handle;
  }

  get handle(): Handle | undefined {
    return this.#handle;
  }

  /** What needn't be read again, and below what a list is stale. */
  get known(): Known {
    const { own, pending } = this.#handle ?? {};
    return { floor: Math.max(own?.sequence ?? 0, (pending?.sequence ?? 1) - 1), entries: [own, pending] };
  }

  readonly progress = (progress: Progress): void => {
    if (progress.type === 'void') {
      if (this.#handle) this.#put(this.#handle, {});
      return;
    }
    const { entry, date } = progress;
    const { key, chain, holder, event } = entry.entry;
    const { home, process } = this.#world;
    const own = this.#handle?.holder === holder ? this.#handle.own : undefined;
    const handle: Handle = { version: 1, home, key, chain, holder, process, ...(own && { own }) };
    const change: Partial<Handle> =
      progress.type === 'pending' ? { pending: { ...entry, date } } : { own: { ...entry, date } };
    const ended = event === 'released' || event === 'done' ? event : undefined;
    this.#put(handle, ended && progress.type === 'stands' ? { ...change, ended } : change);
  };

  /** The claim is over, or was never won. */
  end(reason: LostReason): void {
    const handle = this.#handle;
    if (handle && !handle.ended) this.#put(handle, { ended: handle.own ? reason : 'none' });
  }

  /**
   * Finds out whether an entry stands that a process was about to create when it ended. If it can't be
   * seen, it is created now: the request may still be under way, and nobody would know its claim.
   */
  async settle(): Promise<void> {
    const pending = this.#handle?.pending;
    if (!pending) return;
    const { protocol } = this.#world;
    const { slots, time } = await observe(protocol, pending.entry.key, this.known);
    const slot = slots.find(({ sequence }) => sequence === pending.sequence);
    const passed = (slots.at(-1)?.sequence ?? 0) >= pending.sequence;
    const stands = passed
      ? slot?.sha === pending.sha
      : (await createUntilClear(protocol, pending.entry.key, pending)).stands;
    // Created just now or long ago: what it proves is judged by the older Date, so that it is looked at again.
    const date = slot ? time.date : pending.date;
    this.progress(stands ? { type: 'stands', entry: pending, date } : { type: 'void' });
  }

  #put(handle: Handle, change: Partial<Handle>): void {
    const { pending: _, ...rest } = handle;
    this.#handle = { ...rest, ...change };
    this.#save(this.#handle);
  }
}
