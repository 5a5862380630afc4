import { ask } from './ask.ts';

/** Looks for records to choose from in an editor. */

export type Choice = { readonly id: string; readonly type: string; readonly name: string; readonly fqn: string };

type Answer = {
  readonly hits: {
    readonly hits: readonly {
      readonly _source: {
        readonly id: string;
        readonly entityType: string;
        readonly name?: string;
        readonly displayName?: string;
        readonly fullyQualifiedName?: string;
      };
    }[];
  };
};

const MOST_CHOICES = 12;

export const findChoices = async (text: string, types: string, signal?: AbortSignal): Promise<readonly Choice[]> => {
  const { hits } = await ask<Answer>('/v1/search/query', {
    query: {
      q: text === '' ? '*' : text,
      index: types,
      size: MOST_CHOICES,
      include_source_fields: 'id,entityType,name,displayName,fullyQualifiedName',
    },
    signal,
  });
  return hits.hits.map(({ _source: { id, entityType, name = '', displayName, fullyQualifiedName } }) => ({
    id,
    type: entityType,
    name: displayName || name,
    fqn: fullyQualifiedName ?? name,
  }));
};
