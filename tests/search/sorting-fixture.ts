import { createPerson, ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { label } from './domain-fixture.ts';
import { type Corpus, openCorpus } from './schema-fixture.ts';

/** Four tables that come in another order by every field, most of which some of them do not have. */
export type SortingFixture = Corpus & {
  /** What is found by one order, name by name, and how a page says where the next begins. */
  sorted(
    field: string,
    order: string,
    more?: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<SortedHits>;
};

export type SortedHits = {
  readonly names: readonly string[];
  readonly sorts: readonly (readonly (string | number | boolean)[])[];
  readonly total: { readonly value: number; readonly relation: string };
};

type Hit = { readonly _source: { readonly name: string }; readonly sort: SortedHits['sorts'][number] };

const DAY_MS = 86_400_000;

export const openSortingFixture = async (prefix: string): Promise<SortingFixture> => {
  const corpus = await openCorpus(prefix);
  const { admin, service, table, search } = corpus;
  const owning = async (displayName: string) => {
    const { id } = await createPerson(service, uniqueName('keeper'));
    ok(await admin.patch(`/v1/users/${id}`, { displayName }));
    return [{ id, type: 'user' }];
  };
  const amber = await table('amber', {
    displayName: 'Zinnia',
    tableType: 'View',
    tags: [label('PII.Sensitive'), label('Tier.Tier2')],
    owners: await owning('Yan'),
  });
  const birch = await table('birch', {
    displayName: 'Alder',
    tableType: 'External',
    tags: [label('PII.None'), label('Tier.Tier1')],
    owners: await owning('abe'),
  });
  const cedar = await table('cedar');
  const dogwood = await table('Dogwood', { displayName: 'yew', tableType: 'Regular' });
  const certify = async ({ id }: { readonly id: string }, tagFQN: string, days: number) => {
    const certification = { tagLabel: label(tagFQN), appliedDate: days * DAY_MS, expiryDate: 100_000 * DAY_MS };
    ok(await admin.patch(`/v1/tables/${id}`, { certification }));
  };
  await certify(dogwood, 'Certification.Silver', 9);
  await certify(amber, 'Certification.Gold', 10);
  const vote = { updatedVoteType: 'votedUp' };
  for (const { id } of [amber, birch]) ok(await admin.put(`/v1/tables/${id}/vote`, vote));
  ok(await (await createPerson(service, uniqueName('voter'))).put(`/v1/tables/${birch.id}/vote`, vote));
  const date = new Date().toISOString().slice(0, 10);
  ok(await admin.put(`/v1/usage/table/${birch.id}`, { date, count: 9 }));
  ok(await admin.put(`/v1/usage/table/${cedar.id}`, { date, count: 10 }));
  return {
    ...corpus,
    sorted: async (sort_field, sort_order, more = {}) => {
      const asked = { sort_field, sort_order, include_source_fields: 'name', include_aggregations: 'false' };
      const { hits } = await search('*', { ...asked, ...more });
      const found: readonly Hit[] = hits.hits;
      return {
        names: found.map(({ _source }) => _source.name),
        sorts: found.map(({ sort }) => sort),
        total: hits.total,
      };
    },
  };
};

const A = 'amber';
const B = 'birch';
const C = 'cedar';
const D = 'Dogwood';

/** By each field: those that have it, the least first and then the greatest first, and behind both those that have not. */
export const ORDERS: readonly (readonly [
  field: string,
  ascending: readonly string[],
  descending: readonly string[],
  missing?: readonly string[],
])[] = [
  ['name', [A, B, C, D], [D, C, B, A]],
  ['name.keyword', [A, B, C, D], [D, C, B, A]],
  ['displayName', [B, C, D, A], [A, D, C, B]],
  ['displayName.keyword', [B, C, D, A], [A, D, C, B]],
  ['fullyQualifiedName', [A, B, C, D], [D, C, B, A]],
  ['updatedAt', [B, C, D, A], [A, D, C, B]],
  ['version', [B, C, A, D], [A, D, B, C]],
  ['deleted', [A, B, C, D], [A, B, C, D]],
  ['totalVotes', [C, D, A, B], [B, A, C, D]],
  ['entityType', [A, B, C, D], [A, B, C, D]],
  ['tableType', [B, D, A], [A, D, B], [C]],
  ['serviceType', [A, B, C, D], [A, B, C, D]],
  ['usageSummary.weeklyStats.count', [A, D, B, C], [C, B, A, D]],
  ['certification.appliedDate', [D, A], [A, D], [B, C]],
  ['certification.tagLabel.tagFQN', [A, D], [D, A], [B, C]],
  ['tier.tagFQN', [B, A], [A, B], [C, D]],
  ['tags.tagFQN', [B, A], [A, B], [C, D]],
  ['owners.displayName', [B, A], [A, B], [C, D]],
  ['owners.displayName.keyword', [B, A], [A, B], [C, D]],
  ['ownerDisplayName', [B, A], [A, B], [C, D]],
];
