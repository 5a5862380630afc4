import { ok } from '../../support/expect.ts';
import { CASES, entityLinkOf } from '../../support/quality-tests.ts';
import { type Client, uniqueName } from '../../support/service.ts';
import type { Made, World } from '../fixture.ts';
import { address } from './map/fixture.ts';

/** Helpers for tests of data quality in lineage graphs. */

/** Creates a test case for a table or one of its columns, with the given latest status. */
export const tested = async ({ admin }: World, table: Made, status?: string, column?: string): Promise<Made> => {
  const body = {
    name: uniqueName('check'),
    entityLink: entityLinkOf(table, column),
    ...(column === undefined
      ? { testDefinition: 'tableRowCountToEqual', parameterValues: [{ name: 'value', value: '1' }] }
      : { testDefinition: 'columnValuesToBeNotNull' }),
  };
  const made = ok(await admin.post(CASES, body), 201);
  if (status === undefined) return made;
  const path = `${CASES}/testCaseResults/${encodeURIComponent(made.fullyQualifiedName)}`;
  ok(await admin.post(path, { timestamp: 1_763_700_000_000, testCaseStatus: status }), 201);
  return made;
};

/** What is wrong upstream of a record. */
export const qualityOf = (client: Client, root: Made, query = '') =>
  client.get(address('getDataQualityLineage', root, query));

type Shown = { readonly nodes: readonly Made[]; readonly edges: readonly { fromEntity: Made; toEntity: Made }[] };

/** The ids of what is shown to be wrong, and of the ways to it. */
export const shownIn = ({ nodes, edges }: Shown) => ({
  nodes: nodes.map(({ id }) => id),
  edges: edges.map(({ fromEntity, toEntity }) => [fromEntity.id, toEntity.id]).sort(),
});
