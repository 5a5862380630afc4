import { statement } from '../../graph/statement.ts';

export const listLabelSources = statement<{ tagId: string; limit: number }, { key: string }>(
  'insight/propagation/list_sources',
  { params: ['tagId', 'limit'], row: ['key'] },
);

/** A column that carries a tag because a way leads to it, with that way. */
export type PropagatedLabel = { readonly key: string; readonly fullyQualifiedName: string; readonly reason: string };

export const listPropagatedLabels = statement<{ tagId: string }, PropagatedLabel>(
  'insight/propagation/list_propagated',
  { params: ['tagId'], row: ['key', 'fullyQualifiedName', 'reason'] },
);

/** A tag whose labels follow lineage; one that applies itself is also given to columns that inherit it. */
export type FollowedTag = { readonly fqn: string; readonly name: string; readonly appliesItself: boolean };

export const listFollowedTags = statement<Record<never, never>, FollowedTag>('insight/propagation/list_followed_tags', {
  params: [],
  row: ['fqn', 'name', 'appliesItself'],
});

export const findApplying = statement<{ tagId: string }, Pick<FollowedTag, 'appliesItself'>>(
  'insight/propagation/find_applying',
  { params: ['tagId'], row: ['appliesItself'] },
);
