import { customProperties, customProperties2, definitions, id, texts2 } from './common-shapes.ts';
import { itemsOf, leaf, type MemberShape, only2, shapeOf, since, text, was, words } from './member-shapes.ts';

/** The quality rules in the table of members. */

/** The metrics of library rules since 3.1.0. */
export const LIBRARY_METRICS: readonly string[] =
  'nullValues missingValues invalidValues duplicateValues rowCount'.split(' ');

/** The names of library rules before 3.1.0, with the equivalent metric. */
export const METRIC_BY_RULE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LIBRARY_METRICS.map((metric) => [metric, metric])),
  nullCount: 'nullValues',
  nullCheck: 'nullValues',
  notNull: 'nullValues',
  duplicateCount: 'duplicateValues',
  unique: 'duplicateValues',
  missingCount: 'missingValues',
  countCheck: 'rowCount',
};

const DIMENSIONS = 'accuracy completeness conformity consistency coverage timeliness uniqueness';

export const RULE_OPERATORS = [
  'mustBe',
  'mustNotBe',
  'mustBeGreaterThan',
  'mustBeGreaterOrEqualTo',
  'mustBeLessThan',
  'mustBeLessOrEqualTo',
  'mustBeBetween',
  'mustNotBeBetween',
] as const;

const numbers: MemberShape = { shape: { list: () => ({ leaf: 'number' }) } };

/** The metrics of library rules that this importer understands. */
const RULE_METRICS: readonly string[] = [
  ...Object.keys(METRIC_BY_RULE),
  ...'validValues regex pattern uniqueValues distinctValues completeness freshness textLength valuesBetween'.split(' '),
];

const metric: MemberShape = { shape: { leaf: 'text', words: RULE_METRICS, open: true } };

export const RULE = shapeOf(
  {
    name: text,
    type: words('text library sql custom'),
    description: text,
    dimension: words(DIMENSIONS),
    severity: text,
    businessImpact: text,
    method: text,
    unit: text,
    schedule: text,
    scheduler: text,
    tags: leaf('texts'),
    authoritativeDefinitions: definitions,
    customProperties,
    id,
    metric: since('v3.1.0', metric),
    rule: metric,
    arguments: since('v3.1.0', leaf('map')),
    query: text,
    engine: text,
    implementation: leaf('json'),
    mustBe: leaf('json'),
    mustNotBe: leaf('json'),
    mustBeGreaterThan: leaf('number'),
    mustBeGreaterOrEqualTo: leaf('number'),
    mustBeLessThan: leaf('number'),
    mustBeLessOrEqualTo: leaf('number'),
    mustBeBetween: numbers,
    mustNotBeBetween: numbers,
    // No schema defines these two, but documents contain them.
    validValues: leaf('json'),
    column: text,
  },
  { conversion: 'rule' },
);

/** Rules of 2.2.x have hardly a member in common with those of 3.x; rules-v2.ts converts them. */
const rule2 = shapeOf({
  ...texts2('code', 'templateName', 'description', 'toolName', 'toolRuleName', 'dimension', 'column', 'type'),
  ...texts2('severity', 'businessImpact', 'scheduleCronExpression'),
  columns: only2(leaf('json')),
  customProperties: customProperties2,
});
export const quality = was(itemsOf(RULE), 'quality', { ...itemsOf(rule2), conversion: 'rules' });

/** The same of a table, where the schemas of 2.2.x are stricter. */
export const tableQuality = was(itemsOf(RULE), 'quality', { ...itemsOf(rule2), conversion: 'tableRules' });
