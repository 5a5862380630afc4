import { type IndexedRows, statement } from '../../graph/statement.ts';
import type { ResourceFact } from '../../model/language/condition-evaluation.ts';

type FactsRowKey = { readonly id: string } & Readonly<Record<ResourceFact, boolean>>;

/** The facts of a record that policies may ask for; facts that were not requested are null. */
export type FactsRow = {
  readonly at: number;
  readonly owners:
    | readonly {
        readonly id: string;
        readonly isTeam: boolean;
        /** For a person: the ids of the person's teams. */
        readonly teamIds: readonly string[];
        readonly distance: number;
      }[]
    | null;
  readonly domains: readonly { readonly id: string; readonly distance: number }[] | null;
  readonly tags: readonly string[] | null;
  readonly certificationJson: string | null;
  readonly subjects: readonly { readonly id: string; readonly entityType: string }[] | null;
};

export const readFacts = statement<IndexedRows<FactsRowKey>, FactsRow>('catalog/record/read_facts', {
  params: ['rows'],
  row: ['at', 'owners', 'domains', 'tags', 'certificationJson', 'subjects'],
});

export type OwnFactsRow = FactsRow & { readonly parentId: string | null };

export const readOwnFacts = statement<IndexedRows<FactsRowKey>, OwnFactsRow>('catalog/record/read_own_facts', {
  params: ['rows'],
  row: ['at', 'parentId', 'owners', 'domains', 'tags', 'certificationJson', 'subjects'],
});

/** Stands where the name of the appointer would: the owner took what had none. */
export const ADOPTED = '';

/** An owner of a record, or of what contains it at a distance. Who appointed them was not always kept. */
export type AppointedOwner = {
  readonly id: string;
  readonly owner: string;
  readonly appointedBy: string | null;
  readonly distance: number;
};

export const listOwners = statement<{ ids: readonly string[] }, AppointedOwner>('catalog/record/list_owners', {
  params: ['ids'],
  row: ['id', 'owner', 'appointedBy', 'distance'],
});

/** A column that has the tag, or was measured while it had it: up to which measurement, in milliseconds. */
type TaggedColumnRow = {
  readonly id: string;
  readonly key: string;
  readonly isTagged: boolean;
  readonly until: number | null;
};

export const listTaggedColumns = statement<{ ids: readonly string[]; tag: string }, TaggedColumnRow>(
  'catalog/column/list_tagged',
  { params: ['ids', 'tag'], row: ['id', 'key', 'isTagged', 'until'] },
);
