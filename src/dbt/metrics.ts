import type { JsonObject } from '../model/json.ts';
import { type DbtArtifacts, memberEntries, memberObject, memberObjects, memberText, memberTexts } from './artifacts.ts';
import { createRelationFinder } from './dependencies.ts';
import { nameOf, readFilters, readFormula } from './metric-expression.ts';
import { createOwnersReader, type DbtOwners, type DbtRelation, tagsOf } from './relations.ts';

/** The metrics of a dbt project, with what its semantic models say of their measures and dimensions. */

export type DbtMetric = {
  readonly uniqueId: string;
  readonly name: string;
  /** The members of the catalog's metric that the project states. */
  readonly body: JsonObject;
  /** Why the project gives no expression that the catalog can show. */
  readonly unsaid: string | undefined;
  readonly tags: readonly string[];
  readonly owners: DbtOwners;
  readonly reads: readonly DbtRelation[];
};

export type DbtMetrics = {
  readonly metrics: readonly DbtMetric[];
  /** Semantic models that no metric uses. */
  readonly unused: readonly string[];
};

/** The metric types of the catalog by the aggregation of a measure; others are simple. */
const TYPES_OF_AGGREGATION: Readonly<Record<string, string>> = {
  sum: 'SUM',
  sum_boolean: 'SUM',
  count: 'COUNT',
  count_distinct: 'COUNT',
  average: 'AVERAGE',
  avg: 'AVERAGE',
  min: 'MIN',
  max: 'MAX',
  median: 'MEDIAN',
};

const TYPES: Readonly<Record<string, string>> = {
  ratio: 'RATIO',
  derived: 'DERIVED',
  cumulative: 'CUMULATIVE',
  conversion: 'CONVERSION',
};

const GRANULARITIES = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'];

const lookUp = (words: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(words, word) ? words[word] : undefined;

const present = (members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  ) as JsonObject;

const describeDimension = (dimension: JsonObject): JsonObject =>
  present({
    name: memberText(dimension, 'name'),
    type: memberText(dimension, 'type')?.toLowerCase() === 'time' ? 'TIME' : 'CATEGORICAL',
    description: memberText(dimension, 'description'),
    expression: memberText(dimension, 'expr'),
  });

const describeMeasure = (measure: JsonObject): JsonObject =>
  present({
    name: memberText(measure, 'name'),
    aggregation: memberText(measure, 'agg'),
    description: memberText(measure, 'description'),
    expression: memberText(measure, 'expr'),
  });

const uniqueByName = (all: readonly JsonObject[]): readonly JsonObject[] => [
  ...new Map(all.filter(({ name }) => name !== undefined).map((one) => [one['name'], one])).values(),
];

/** The measures that a metric names, itself or for each of its inputs. */
const measureNamesOf = (metric: JsonObject): ReadonlySet<string> => {
  const parameters = memberObject(metric, 'type_params');
  const inputs = memberObjects(parameters, 'input_measures').flatMap((one) => memberText(one, 'name') ?? []);
  return new Set([nameOf(parameters, 'measure') ?? [], inputs].flat());
};

/** Newer metrics say themselves what they aggregate, where older ones name a measure of their semantic model. */
const ownMeasureOf = (name: string, metric: JsonObject): JsonObject | undefined => {
  const parameters = memberObject(metric, 'type_params');
  const aggregated = memberObject(parameters, 'metric_aggregation_params');
  if (nameOf(parameters, 'measure') !== undefined || memberText(aggregated, 'agg') === undefined) return undefined;
  const expr = memberText(aggregated, 'expr') ?? memberText(parameters, 'expr');
  return { ...aggregated, name, ...(expr === undefined ? {} : { expr }) };
};

const readMeasures = (name: string, metric: JsonObject, models: readonly JsonObject[]): readonly JsonObject[] => {
  const own = ownMeasureOf(name, metric);
  if (own) return [own];
  const wanted = measureNamesOf(metric);
  return models
    .flatMap((model) => memberObjects(model, 'measures'))
    .filter((measure) => wanted.has(memberText(measure, 'name') ?? ''));
};

const typeOf = (metric: JsonObject, measures: readonly JsonObject[]): string => {
  const aggregation = memberText(measures[0] ?? {}, 'agg') ?? memberText(metric, 'calculation_method') ?? '';
  return (
    lookUp(TYPES, memberText(metric, 'type') ?? '') ??
    lookUp(TYPES_OF_AGGREGATION, aggregation.toLowerCase()) ??
    'SIMPLE'
  );
};

const buildMetric = (
  name: string,
  metric: JsonObject,
  models: readonly JsonObject[],
): Pick<DbtMetric, 'name' | 'body' | 'unsaid'> => {
  const measures = readMeasures(name, metric, models);
  const granularity = (memberText(metric, 'time_granularity') ?? '').toUpperCase();
  const formula = readFormula(metric, measures[0]);
  const body = present({
    name,
    displayName: memberText(metric, 'label'),
    description: memberText(metric, 'description'),
    metricExpression: 'code' in formula ? formula : undefined,
    metricType: typeOf(metric, measures),
    granularity: GRANULARITIES.includes(granularity) ? granularity : undefined,
    dimensions: uniqueByName(models.flatMap((model) => memberObjects(model, 'dimensions')).map(describeDimension)),
    measures: uniqueByName(measures.map(describeMeasure)),
    filters: (readFilters(metric) ?? []).map((where) => ({ where })),
  });
  return { name, body, unsaid: 'why' in formula ? formula.why : undefined };
};

/** The semantic models of a metric, which newer metrics name by their names. */
const modelsOf = (metric: JsonObject, models: ReadonlyMap<string, JsonObject>): readonly string[] => {
  const aggregated = memberObject(memberObject(metric, 'type_params'), 'metric_aggregation_params');
  const name = memberText(aggregated, 'semantic_model');
  const ids = new Set(memberTexts(memberObject(metric, 'depends_on'), 'nodes').filter((id) => models.has(id)));
  for (const [id, model] of models) if (name !== undefined && memberText(model, 'name') === name) ids.add(id);
  return [...ids];
};

export const readMetrics = (artifacts: DbtArtifacts, relations: readonly DbtRelation[]): DbtMetrics => {
  const { manifest } = artifacts;
  const findRead = createRelationFinder(artifacts, relations);
  const ownersOf = createOwnersReader(manifest);
  const models = new Map(memberEntries(manifest, 'semantic_models'));
  const used = new Set<string>();
  const metrics = memberEntries(manifest, 'metrics').map(([uniqueId, metric]) => {
    const ids = modelsOf(metric, models);
    for (const id of ids) used.add(id);
    const nodes = [...memberTexts(memberObject(metric, 'depends_on'), 'nodes'), ...ids];
    return {
      uniqueId,
      ...buildMetric(
        memberText(metric, 'name') ?? uniqueId,
        metric,
        ids.map((id) => models.get(id) ?? {}),
      ),
      tags: tagsOf(metric),
      owners: ownersOf(metric),
      reads: findRead({ depends_on: { nodes } }),
    };
  });
  const unused = [...models].filter(([id]) => !used.has(id)).map(([id, model]) => memberText(model, 'name') ?? id);
  return { metrics, unused };
};
