import { ancestor, columns, nested, property, relation } from '../model/kind/attribute.ts';
import { keepCase } from '../model/kind/columns.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import {
  Fqn,
  listOf,
  Markdown,
  must,
  NameInput,
  oneOf,
  PlainName,
  Ref,
  shape,
  TagLabel,
  Text,
  Url,
} from '../model/values.ts';

const SOURCE_TYPES = ['integer', 'number', 'string', 'array', 'date', 'timestamp', 'object', 'boolean'] as const;

/**
 * The contract allows features and sources without a name. Here each is a node of the graph that lineage and labels
 * reference by its fully qualified name, so a name is required.
 */
const FeatureSource = shape('FeatureSource', {
  name: must(NameInput),
  dataType: oneOf(SOURCE_TYPES),
  description: Markdown,
  fullyQualifiedName: Fqn,
  dataSource: Ref,
  tags: listOf(TagLabel),
});

const MlFeature = shape('MlFeature', {
  name: must(NameInput),
  dataType: oneOf(['numerical', 'categorical']),
  description: Markdown,
  fullyQualifiedName: Fqn,
  featureSources: listOf(FeatureSource),
  featureAlgorithm: Text,
  tags: listOf(TagLabel),
});

const HyperParameter = shape('MlHyperParameter', { name: Text, value: Text, description: Markdown });
const MlStore = shape('MlStore', { storage: Text, imageRepository: Text });

export const mlmodel = defineKind({
  entityType: 'mlmodel',
  label: 'MlModel',
  path: 'mlmodels',
  title: 'ML models',
  isAsset: true,
  datasetRank: 7,
  contract: {},
  parents: [childOf('service', 'mlmodelService')],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    algorithm: property(Text, { fallback: 'mlmodel' }),
    mlFeatures: columns(listOf(MlFeature), { childrenMember: 'featureSources', nameKey: keepCase, breaking: false }),
    mlHyperParameters: nested(listOf(HyperParameter), { list: 'name' }),
    target: property(PlainName),
    mlStore: nested(MlStore),
    server: property(Url),
    service: ancestor('mlmodelService'),
    serviceType: ancestor('mlmodelService', 'serviceType'),
    dashboard: relation({
      edge: 'USES',
      direction: 'out',
      kinds: ['dashboard'],
      many: false,
      request: 'fqn',
    }),
  },
  search: {
    index: 'mlmodel_search_index',
    aliases: ['all', 'dataAsset', 'mlModelService'],
    includedMembers: ['dashboard'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
