import { differenceOf } from '../../model/nearest.ts';
import type { DatasetHomes, ServiceHome } from './dataset-homes.ts';
import { isPlaceOf, parseDatasetName } from './dataset-naming.ts';
import type { OpenLineageName } from './event.ts';

/** Says which services a namespace that matches none may mean. */

export const LIKELY_REASONS = ['connection', 'onlyOfType', 'similarPlace', 'ofType'] as const;

export type LikelyService = { readonly service: ServiceHome; readonly reason: (typeof LIKELY_REASONS)[number] };

const MAX_LIKELY = 5;

/** What connections say of their place, in the words in which a namespace may say it. */
const placeTexts = ({ config }: ServiceHome): readonly string[] =>
  ['hostPort', 'bootstrapServers', 'account', 'host'].flatMap((name) =>
    typeof config[name] === 'string' ? [config[name]] : [],
  );

const SIMILAR_SHARE = 0.4;

const distanceTo = (place: string, service: ServiceHome): number =>
  Math.min(...placeTexts(service).map((text) => differenceOf(place, text)), 1);

/** Lists the services that may be meant, the likeliest first. */
export const listLikelyServices = ({ services }: DatasetHomes, one: OpenLineageName): readonly LikelyService[] => {
  const named = parseDatasetName(one);
  if (named === undefined) return [];
  const fitting = services.filter(
    ({ entityType, serviceType }) => entityType === named.serviceKind && named.serviceTypes.includes(serviceType),
  );
  const [only, ...others] = fitting;
  const place = one.namespace.slice(one.namespace.indexOf('://') + 3);
  const reasonOf = (service: ServiceHome): LikelyService['reason'] => {
    if (isPlaceOf(named, service.serviceType, service.config)) return 'connection';
    if (service === only && others.length === 0) return 'onlyOfType';
    return distanceTo(place, service) <= SIMILAR_SHARE ? 'similarPlace' : 'ofType';
  };
  return fitting
    .map((service) => ({ service, reason: reasonOf(service), distance: distanceTo(place, service) }))
    .sort((a, b) => LIKELY_REASONS.indexOf(a.reason) - LIKELY_REASONS.indexOf(b.reason) || a.distance - b.distance)
    .slice(0, MAX_LIKELY)
    .map(({ service, reason }) => ({ service, reason }));
};
