import type { components } from './schema.ts';

/** The shapes of the API's answers, as its document describes them. */
export type Schemas = components['schemas'];

export type Reference = Schemas['EntityReference'];
export type LineageGraph = Schemas['LineageGraph'];
export type LineageNode = Schemas['LineageNode'];
export type LineageEdge = Schemas['NativeLineageEdge'];
export type ColumnEdge = Schemas['ColumnLineageEdge'];
export type LineageImpact = Schemas['LineageImpact'];
export type LineagePaths = Schemas['LineagePaths'];
