import { createHash } from 'node:crypto';
import type { Kind } from '../model/kind/kind.ts';
import {
  CONNECTION_STEPS,
  type ConnectionStep,
  type ConnectionSteps,
} from '../model/schemas/services/connection-steps.ts';

/** What connectors try when they test the connection of a type of service, as they ask for it. */

type DefinedStep = {
  readonly name: ConnectionStep;
  readonly description: string;
  readonly errorMessage: string;
  readonly mandatory: boolean;
  readonly shortCircuit: boolean;
  readonly category: 'ConnectionGate' | 'Capability';
};

export type ConnectionDefinition = {
  readonly id: string;
  /** The type of the service. */
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly displayName: string;
  readonly description: string;
  readonly steps: readonly DefinedStep[];
};

/** Derives an id from a name, because definitions are in no database and yet keep their ids. */
const idOf = (name: string): string => {
  const digest = createHash('sha256').update(`connection ${name}`).digest();
  digest[6] = (digest.readUInt8(6) & 0x0f) | 0x80;
  digest[8] = (digest.readUInt8(8) & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const defineStep = (name: ConnectionStep, isFirst: boolean): DefinedStep => {
  const { tries, isNeeded } = CONNECTION_STEPS[name];
  return {
    name,
    description: `Try to ${tries}`,
    errorMessage: `Could not ${tries}. Check the connection and what its account may do.`,
    mandatory: isFirst || isNeeded,
    shortCircuit: isFirst,
    category: isFirst ? 'ConnectionGate' : 'Capability',
  };
};

const define = (type: string, steps: readonly ConnectionStep[]): ConnectionDefinition => ({
  id: idOf(type),
  name: type,
  fullyQualifiedName: `${type}.testConnectionDefinition`,
  displayName: `${type} test connection`,
  description: `What is tried to test the connection of a service of the type ${type}`,
  steps: steps.map((name, at) => defineStep(name, at === 0)),
});

const definitionsOf = (steps: ConnectionSteps): ConnectionDefinition[] =>
  Object.entries(steps).map(([type, names]) => define(type, names));

/** The definitions of the types of all services, in the order of their names. */
export const listConnectionDefinitions = (kinds: readonly Kind[]): readonly ConnectionDefinition[] =>
  kinds
    .flatMap(({ connectionSteps = {} }) => definitionsOf(connectionSteps))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
