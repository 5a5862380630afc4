/** Whom subscriptions want to be told of one event, in their inboxes. */
export type NotificationAudience = {
  /** Everybody who follows the record, or owns it. */
  readonly relations: readonly ('follower' | 'owner')[];
  /** People by name. */
  readonly userNames: readonly string[];
  readonly includesAdmins: boolean;
};

export const EMPTY_AUDIENCE: NotificationAudience = Object.freeze({
  relations: [],
  userNames: [],
  includesAdmins: false,
});
