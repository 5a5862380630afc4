import { loadKinds } from '../../src/catalog/registry.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { chooseFew } from './representatives.ts';
import { createSamples, isPlacing, type Samples } from './samples.ts';
import { openService, type Service } from './service.ts';
import type { Suite } from './suite.ts';

/**
 * Runs one test case for every kind, or for some kinds that the title chooses. Kinds are declarations over one engine, so a
 * dozen of them show what the engine does; each kind is met by many titles.
 */

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

const runFor = async (kind: Kind, body: (bench: KindFixture) => Promise<void>): Promise<void> => {
  const service = await openService();
  await body({ service, samples: sharedSamples(service), kind, path: `/v1/${kind.path}` });
};

const KINDS_PER_TITLE = 10;

/** Fewer of them for cases that send hundreds of requests about each kind. */
export const FEW_KINDS = 4;

/** The kinds that cases are declared for: of those with the ability in question, the ones that the title chooses. */
const chosenKinds = (title: string, when: (kind: Kind) => boolean, few: number): readonly Kind[] => {
  const able = kinds.filter((kind) => when(kind) && (only === undefined || kind.entityType === only));
  const names = able.map(({ entityType }) => entityType);
  const chosen = chooseFew(title, names, few);
  return able.filter(({ entityType }) => chosen.has(entityType));
};

/** Declares one case per chosen kind, of all that the program knows or that have the ability in question. */
export const everyKind =
  (test: Suite, few = KINDS_PER_TITLE): EveryKind =>
  (title, body, when = () => true) => {
    for (const kind of chosenKinds(title, when, few)) test(`${kind.entityType}: ${title}`, () => runFor(kind, body));
  };

/** Declares the same cases and runs all of them at the same time, for cases that mostly wait. */
export const everyKindAtOnce =
  (test: Suite): EveryKind =>
  (title, body, when = () => true) => {
    const chosen = chosenKinds(title, when, KINDS_PER_TITLE);
    let running: ReadonlyMap<Kind, Promise<void>> | undefined;
    const start = () => {
      const started = new Map(chosen.map((kind) => [kind, runFor(kind, body)]));
      // Each case reports its own failure when its turn comes.
      for (const one of started.values()) one.catch(() => {});
      return started;
    };
    for (const kind of chosen) {
      test(`${kind.entityType}: ${title}`, async () => {
        running ??= start();
        await running.get(kind);
      });
    }
  };

/** Whether records of some kind are placed below one of this kind by who makes them. */
export const hasChildren = (kind: Kind): boolean =>
  kinds.some((child) => child.parents.some((parent) => parent.kind === kind.entityType && isPlacing(parent)));
