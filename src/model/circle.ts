/** Whom subscriptions want to be told of one event, in their inboxes. */
export type Circle = {
  /** Everybody who follows the record, or owns it. */
  readonly ties: readonly ('follower' | 'owner')[];
  /** People by name. */
  readonly names: readonly string[];
  readonly admins: boolean;
};

export const NOBODY: Circle = Object.freeze({ ties: [], names: [], admins: false });
