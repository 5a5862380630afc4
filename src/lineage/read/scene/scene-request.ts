import { badRequest } from '../../../errors.ts';
import { flagParameter, integerParameter, textParameter } from '../../../http/query-parameters.ts';
import type { QueryParameter } from '../../../http/route.ts';
import {
  SCENE_BANDS,
  SCENE_LENSES,
  type SceneBand,
  type SceneLens,
} from '../../../model/schemas/lineage/lineage-scene.ts';
import { type MapRequest, readMapFlag } from '../map/map-request.ts';
import type { LineageDepth } from '../read-subgraph.ts';

/** What a scene is asked for. */
export type SceneRequest = {
  readonly lens: SceneLens;
  readonly band: SceneBand;
  readonly span: LineageDepth;
  /** The most nodes that are shown. */
  readonly size: number;
  readonly includeDeleted: boolean;
};

const MAX_SCENE_DEPTH = 3;
const MAX_SCENE_SIZE = 1000;
const DEFAULT_SCENE_SIZE = 100;

const readWord = <W extends string>({ query }: MapRequest, name: string, words: readonly W[], fallback: W): W => {
  const given = query.get(name);
  if (!given) return fallback;
  const word = words.find((one) => one === given);
  if (!word) throw badRequest(`[${name} must be one of ${words.join(', ')}]`);
  return word;
};

const readDepth = ({ query }: MapRequest, name: string): number => integerParameter(query, name, 1, 0, MAX_SCENE_DEPTH);

export const readSceneRequest = (request: MapRequest): SceneRequest => ({
  lens: readWord(request, 'lens', SCENE_LENSES, 'service'),
  band: readWord(request, 'band', SCENE_BANDS, 'ASSET'),
  span: { upstream: readDepth(request, 'upstreamDepth'), downstream: readDepth(request, 'downstreamDepth') },
  size: integerParameter(request.query, 'size', DEFAULT_SCENE_SIZE, 1, MAX_SCENE_SIZE),
  includeDeleted: readMapFlag(request, 'includeDeleted'),
});

const depthParameter = (name: string, where: string): QueryParameter => ({
  name,
  description: `Number of ${where} levels around the focus`,
  schema: { type: 'integer', minimum: 0, maximum: MAX_SCENE_DEPTH, default: 1 },
});

export const SCENE_PARAMETERS: readonly QueryParameter[] = [
  textParameter('focusFqn', 'Fully qualified name of what the scene is about; the whole catalog by default'),
  textParameter('entityType', 'Entity type of the focus; any type by default'),
  {
    name: 'lens',
    description: 'What assets are drawn together to',
    schema: { type: 'string', enum: [...SCENE_LENSES], default: 'service' },
  },
  {
    name: 'band',
    description: 'What is shown: the layers of the lens, what the focus consists of, or assets with their fields',
    schema: { type: 'string', enum: [...SCENE_BANDS], default: 'ASSET' },
  },
  depthParameter('upstreamDepth', 'upstream'),
  depthParameter('downstreamDepth', 'downstream'),
  {
    name: 'size',
    description: 'Number of nodes to return; the largest stay',
    schema: { type: 'integer', minimum: 1, maximum: MAX_SCENE_SIZE, default: DEFAULT_SCENE_SIZE },
  },
  textParameter('query_filter', 'Filter for the assets, as a JSON query or a query string'),
  flagParameter('includeDeleted', 'Whether to include deleted assets', false),
];
