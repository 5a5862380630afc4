import { type IndexedRows, statement } from '../../graph/statement.ts';

type FactsRowKey = { readonly id: string } & Readonly<Record<'owners' | 'domains' | 'tags' | 'certification', boolean>>;

/** What policies may ask of a record; what was not asked for is null. */
export type FactsRow = {
  readonly at: number;
  readonly owners:
    | readonly {
        readonly id: string;
        readonly isTeam: boolean;
        /** Of a person: the teams the person is in. */
        readonly teamIds: readonly string[];
        readonly distance: number;
      }[]
    | null;
  readonly domains: readonly { readonly id: string; readonly distance: number }[] | null;
  readonly tags: readonly string[] | null;
  readonly certificationJson: string | null;
};

export const readFacts = statement<IndexedRows<FactsRowKey>, FactsRow>('record/read_facts', {
  params: ['rows'],
  row: ['at', 'owners', 'domains', 'tags', 'certificationJson'],
});

export type OwnFactsRow = FactsRow & { readonly parentId: string | null };

export const readOwnFacts = statement<IndexedRows<FactsRowKey>, OwnFactsRow>('record/read_own_facts', {
  params: ['rows'],
  row: ['at', 'parentId', 'owners', 'domains', 'tags', 'certificationJson'],
});

/** The columns of some records that bear a tag, by their keys. */
export const listTaggedColumns = statement<{ ids: readonly string[]; tag: string }, { id: string; key: string }>(
  'column/list_tagged',
  { params: ['ids', 'tag'], row: ['id', 'key'] },
);
