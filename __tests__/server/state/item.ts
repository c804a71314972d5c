/** What a test says of a new issue, or with `pull` of a new pull request. */
export interface NewItem {
  number: number;
  title?: string;
  body?: string;
  state?: 'open' | 'closed';
  /** Default: the repository's owner. */
  author?: string;
  /** Labels that the repository doesn't have are made, grey. */
  labels?: string[];
  assignees?: string[];
  /** `head` is the sha of its head; the branch is `topic-<number>` unless named. */
  pull?: { head: string; ref?: string; merged?: boolean };
  /** Transferred: answered with 301. The repository is this one unless named. */
  movedTo?: { repository?: string; number: number };
  /** Answered with 410. */
  deleted?: boolean;
}

/** An issue or a pull request with all that has happened to it. Times are the host's, epoch milliseconds. */
export interface Item {
  number: number;
  title: string;
  body: string | null;
  author: string;
  state: 'open' | 'closed';
  stateReason: StateReason | null;
  /** By the names that the repository's labels have. */
  labels: string[];
  assignees: string[];
  comments: Comment[];
  events: Happening[];
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  closedBy: string | null;
  pull?: { head: string; ref: string; mergedAt: number | null };
  movedTo?: { repository?: string; number: number };
  deleted?: boolean;
}

export type StateReason = 'completed' | 'not_planned' | 'duplicate' | 'reopened';

export interface Comment {
  id: number;
  author: string;
  body: string;
  createdAt: number;
  updatedAt: number;
}

/** One event of an item's timeline. */
export type Happening = { id: number; actor: string; at: number } & Event;

export type Event =
  | { event: 'labeled' | 'unlabeled'; label: { name: string; color: string } }
  | { event: 'assigned' | 'unassigned'; assignee: string }
  | { event: 'closed'; reason: StateReason | null }
  | { event: 'reopened' | 'merged' }
  | { event: 'renamed'; from: string; to: string }
  | { event: 'commented'; comment: number }
  /** `source` is the number of the item that names this one. */
  | { event: 'cross-referenced'; source: number };
