export interface Label {
  id: number;
  name: string;
  /** Six hexadecimal digits. */
  color: string;
  description: string | null;
}

const GREY = 'ededed';

/** The labels of a repository. Two that differ only in case are the same one. */
export class Labels {
  readonly #labels = new Map<string, Label>();

  all(): Label[] {
    return [...this.#labels.values()];
  }

  get(name: string): Label | undefined {
    return this.#labels.get(keyOf(name));
  }

  /** Makes a label; nothing if there is one of that name. */
  create(name: string, color = GREY, description: string | null = null): Label | undefined {
    if (this.get(name)) return undefined;
    const label = { id: 1 + this.#labels.size, name, color, description };
    this.#labels.set(keyOf(name), label);
    return label;
  }
}

/** What two names have in common that mean the same label. */
export function keyOf(name: string): string {
  return name.toLowerCase();
}
