import neo4j from 'neo4j-driver';
import type { Json } from '../model/json.ts';
import { listOfType, PLAIN, type QueryType } from './translate/value-type.ts';

/** Turns values of the database into JSON. */

const isStoredForm = (value: object): boolean =>
  neo4j.isNode(value) || neo4j.isRelationship(value) || neo4j.isPath(value) || neo4j.isUnboundRelationship(value);

const isTime = (value: object): boolean =>
  neo4j.isDate(value) ||
  neo4j.isDateTime(value) ||
  neo4j.isLocalDateTime(value) ||
  neo4j.isTime(value) ||
  neo4j.isLocalTime(value) ||
  neo4j.isDuration(value);

/** Whole nodes and edges leave out what they have no value for. */
const isWhole = (type: QueryType): boolean => type.is === 'node' || type.is === 'edge';

const memberType = (type: QueryType, key: string): QueryType => {
  if (type.is === 'map') return type.members.get(key) ?? PLAIN;
  if (type.is !== 'path') return PLAIN;
  return listOfType(key === 'nodes' ? { is: 'node', labels: null } : { is: 'edge', types: null });
};

const renderMap = (value: object, type: QueryType): Json =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => !(isWhole(type) && one === null))
      .map(([key, one]) => [key, renderQueryValue(one, memberType(type, key))]),
  );

export const renderQueryValue = (value: unknown, type: QueryType): Json => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map((one) => renderQueryValue(one, type.is === 'list' ? type.of : PLAIN));
  if (typeof value !== 'object' || isStoredForm(value)) throw new Error('a query answered a value in its stored form');
  return isTime(value) ? value.toString() : renderMap(value, type);
};
