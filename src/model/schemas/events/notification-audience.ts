/** The people whom subscriptions notify of one event in their inboxes. */
export type NotificationAudience = {
  /** Everybody who follows or owns the record. */
  readonly relations: readonly ('follower' | 'owner')[];
  /** Users by name. */
  readonly userNames: readonly string[];
  readonly includesAdmins: boolean;
};

export const EMPTY_AUDIENCE: NotificationAudience = Object.freeze({
  relations: [],
  userNames: [],
  includesAdmins: false,
});
