import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { isObject, type JsonObject, member } from '../../model/json.ts';
import { splitFqn } from '../../model/name.ts';
import { listNamespaces, listServices } from './queries.ts';

/** The records below which datasets may lie: services by their connections, and records that namespaces stand for. */

/** A service with what its connection says in clear. */
export type ServiceHome = {
  readonly entityType: string;
  readonly fqn: string;
  readonly ref: RefNode;
  readonly serviceType: string;
  readonly config: JsonObject;
};

/** Namespaces assigned by the setting or by the API, with the full name of the record that each stands for. */
export type NamespaceMap = ReadonlyMap<string, string>;

export type DatasetHomes = { readonly services: readonly ServiceHome[]; readonly namespaces: NamespaceMap };

const parseConfig = (connection: string | null): JsonObject => {
  const value = connection === null ? undefined : JSON.parse(connection);
  const config = isObject(value) ? member(value, 'config') : undefined;
  return config !== undefined && isObject(config) ? config : {};
};

/** Reads the homes. What the API assigns wins over the setting. */
export const readDatasetHomes = async (
  { graph, registry }: Engine,
  configured: NamespaceMap,
): Promise<DatasetHomes> => {
  const types = registry.kinds.filter(({ connectionSteps }) => connectionSteps).map(({ entityType }) => entityType);
  const [services, assigned] = await Promise.all([graph.read(listServices, { types }), graph.read(listNamespaces, {})]);
  return {
    services: services.map(({ ref, serviceType, connection }) => ({
      entityType: ref.entityType,
      fqn: ref.fullyQualifiedName,
      ref,
      serviceType: serviceType ?? '',
      config: parseConfig(connection),
    })),
    namespaces: new Map([
      ...configured,
      ...assigned.map(({ namespace, ref }) => [namespace, ref.fullyQualifiedName] as const),
    ]),
  };
};

/** The service above a record, by the first part of its full name. */
export const serviceAbove = ({ services }: DatasetHomes, fqn: string, entityType?: string): ServiceHome | undefined => {
  const [first] = splitFqn(fqn);
  return services.find(
    (service) => (entityType === undefined || service.entityType === entityType) && splitFqn(service.fqn)[0] === first,
  );
};
