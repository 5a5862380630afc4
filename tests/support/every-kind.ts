import { loadKinds } from '../../src/catalog/registry.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { createSamples, isPlacing, type Samples } from './samples.ts';
import { openService, type Service } from './service.ts';
import type { Suite } from './suite.ts';

/** Runs one test case for every kind. */

/** The fixture of each case. */
export type KindFixture = {
  readonly service: Service;
  readonly samples: Samples;
  readonly kind: Kind;
  /** The collection of the kind. */
  readonly path: string;
};

const { kinds } = await loadKinds();

/** While a kind is being made, its cases can be run alone. */
const only = process.env['TEST_KIND'];

let samples: Samples | undefined;

/** The parents that all tables share; what a case changes it makes for itself. */
const sharedSamples = (service: Service): Samples => {
  samples ??= createSamples(service);
  return samples;
};

export type EveryKind = (
  title: string,
  body: (bench: KindFixture) => Promise<void>,
  when?: (kind: Kind) => boolean,
) => void;

/** Declares one case per kind that the program knows, or per kind that has the ability in question. */
export const everyKind =
  (test: Suite): EveryKind =>
  (title, body, when = () => true) => {
    for (const kind of kinds.filter(when)) {
      if (only !== undefined && kind.entityType !== only) continue;
      test(`${kind.entityType}: ${title}`, async () => {
        const service = await openService();
        await body({ service, samples: sharedSamples(service), kind, path: `/v1/${kind.path}` });
      });
    }
  };

/** Whether records of some kind are placed below one of this kind by who makes them. */
export const hasChildren = (kind: Kind): boolean =>
  kinds.some((child) => child.parents.some((parent) => parent.kind === kind.entityType && isPlacing(parent)));
