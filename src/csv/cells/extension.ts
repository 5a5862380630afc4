import type { Json } from '../../model/json.ts';

/** A custom property as cells need it. */
export type PropertyWords = { readonly typeName: string; readonly config: Json | undefined };

/** Custom properties by their names. */
export type Properties = ReadonlyMap<string, PropertyWords>;
