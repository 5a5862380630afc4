import type { ImportTarget } from '../../src/contracts/odcs/schema/read-schema.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { document, exported, imported, tableOf } from './odcs-mapping.ts';

/** Long documents and contracts, whose import and export must take no more than their length costs. */

const many = (count: number, make: (index: number) => Json) => Array.from({ length: count }, (_, index) => make(index));

/** Documents of one long list each. */
export const longDocuments = (size: number): Readonly<Record<string, JsonObject>> => ({
  properties: document({
    schema: [{ name: 'orders', properties: many(size, (index) => ({ name: `p${index}`, physicalName: `c${index}` })) }],
  }),
  quality: document({
    schema: [{ name: 'orders', properties: [], quality: many(size, () => ({ metric: 'rowCount', mustBe: 1 })) }],
  }),
  team: document({ team: many(size, (index) => ({ username: `u${index}`, role: 'owner' })) }),
  roles: document({ roles: many(size, (index) => ({ role: `r${index % 7}` })) }),
  slaProperties: document({ slaProperties: many(size, () => ({ property: 'retention', value: 'x' })) }),
  customProperties: document({
    customProperties: many(size, (index) => ({ property: `a${index % 100}`, value: index })),
  }),
  tags: document({
    schema: [{ name: 'orders', properties: [{ name: 'p', tags: many(size, (index) => `t${index}`) }] }],
  }),
});

export const wideTable = (size: number): ImportTarget =>
  tableOf('orders', many(size, (index) => ({ name: `c${index}`, dataType: 'INT' })) as readonly JsonObject[]);

const knowing = {
  person: (name: string) => ({ id: name, type: 'user' as const, name }),
  tag: () => 'Glossary' as const,
};

export const importAndExport = (source: JsonObject, target: ImportTarget): void => {
  const { contract } = imported(source, { target, createTestCases: true });
  const rules = (contract['odcsQualityRules'] ?? []) as readonly Json[];
  const changed = { ...contract, description: 'd', odcsQualityRules: rules.toReversed() };
  exported(changed, source, { target, lookup: knowing });
};

/** Rules of a contract that came from no document. */
export const longRules = (size: number): readonly Json[] =>
  many(size, (index) => ({ metric: 'nullValues', column: `c${index}` }));
