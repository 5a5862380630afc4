/** A flow of labels that somebody wants to hear of: from columns with a tag to assets of some types. */
export type FlowWish = {
  /** The full name of the tag, or of its classification. */
  readonly tag: string;
  readonly types: readonly string[];
};

/** What labels must not reach unnoticed, unless somebody names other types. */
export const DEFAULT_FLOW_TARGETS: readonly string[] = ['dashboard', 'mlmodel'];

export const listFlowWishes = (tags: readonly string[], types: readonly string[]): readonly FlowWish[] =>
  tags.map((tag) => ({ tag, types: types.length === 0 ? DEFAULT_FLOW_TARGETS : types }));

/** Names a flow, so that what is found can be compared with what is wanted. */
export const flowKeyOf = ({ tag, types }: FlowWish): string => [tag, ...[...types].sort()].join('\n');
