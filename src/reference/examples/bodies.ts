import type { Route } from '../../http/route.ts';
import type { Json } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';

export const exampleFor =
  (_kinds: readonly Kind[]) =>
  (_route: Route): Json | undefined =>
    undefined;
