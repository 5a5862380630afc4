import { useQuery } from '@tanstack/react-query';
import { readFailure } from './failure.ts';
import type { Schemas } from './types.ts';

/** What the service says of itself before anybody has signed in: the ways to sign in, and the limits of lineage. */

type Settings = Schemas['ExplorerConfig'];
export type Limits = Settings['limits'];

/** Read without a token, so that a failure to sign in is none of it. */
const askForSettings = async (): Promise<Settings> => {
  const answer = await fetch('/v1/system/config/explorer');
  if (!answer.ok) throw await readFailure(answer);
  return (await answer.json()) as Settings;
};

let limits: Promise<Limits> | undefined;

/** Reads the limits once; they last as long as the service runs. */
export const readLimits = (): Promise<Limits> => {
  limits ??= askForSettings()
    .then((settings) => settings.limits)
    .catch((failure: unknown) => {
      limits = undefined;
      throw failure;
    });
  return limits;
};

export const useSettings = (): Settings | undefined =>
  useQuery({ queryKey: ['explorer settings'], queryFn: askForSettings }).data;
