import { badRequest, type CatalogError } from '../errors.ts';
import type { DefinedParameter, GivenParameter, ParameterRule, ParameterType } from '../model/test-values.ts';

/** What a definition says of its parameters, and where it leaves their names to others. */
export type Definition = {
  readonly name: string;
  readonly target: string;
  readonly platforms: readonly string[];
  readonly parameters: readonly DefinedParameter[];
  readonly isEnabled: boolean;
};

/** Every test may say how much it tolerates. */
const TOLERANCE: readonly DefinedParameter[] = [
  { name: 'threshold', dataType: 'NUMBER' },
  { name: 'thresholdUnit', dataType: 'STRING' },
];

/** Numbers this close are the same. */
const CLOSE = 0.0001;

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));
const isMoment = (text: string): boolean => isNumber(text) || !Number.isNaN(Date.parse(text));

/** What the text of a value must look like; a list or a map may be written in the words of any language. */
const FORMS: Partial<Readonly<Record<ParameterType, readonly [fits: (text: string) => boolean, what: string]>>> = {
  NUMBER: [isNumber, 'a number'],
  // The bounds of means and medians are declared as whole numbers too, and have never been.
  INT: [isNumber, 'a number'],
  FLOAT: [isNumber, 'a number'],
  DOUBLE: [isNumber, 'a number'],
  DECIMAL: [isNumber, 'a number'],
  BOOLEAN: [(text) => /^(true|false)$/i.test(text.trim()), 'true or false'],
  TIMESTAMP: [isMoment, 'a moment in time'],
  DATE: [isMoment, 'a date'],
  DATETIME: [isMoment, 'a moment in time'],
  TIME: [(text) => /^\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?/.test(text.trim()), 'a time of day'],
};

type Values = ReadonlyMap<string, string>;

/** Forms send an empty text for what was not filled in; of what is no text anyhow that says nothing. */
const isAbsent = (value: string | undefined, { dataType = 'STRING' }: DefinedParameter): boolean =>
  value === undefined || (value.trim() === '' && FORMS[dataType] !== undefined);

const valuesOf = (given: readonly GivenParameter[]): Values =>
  new Map(given.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])));

const refuseUnknown = (definition: Definition, given: readonly GivenParameter[]): CatalogError | undefined => {
  const { name, platforms, parameters } = definition;
  if (platforms.includes('GreatExpectations') || name === 'tableDiff') return undefined;
  const known = [...parameters, ...TOLERANCE].map((parameter) => parameter.name);
  const stranger = given.find((parameter) => !known.includes(parameter.name));
  if (!stranger) return undefined;
  const defined = parameters.map((parameter) => parameter.name).join(', ');
  return badRequest(
    parameters.length === 0
      ? `Parameter ${stranger.name} is not defined: the test definition ${name} has no parameters`
      : `Parameter ${stranger.name} is not defined by the test definition ${name}, which defines ${defined}`,
  );
};

const refuseMissing = ({ name, parameters }: Definition, values: Values): CatalogError | undefined => {
  const missing = parameters.find((parameter) => parameter.required && isAbsent(values.get(parameter.name), parameter));
  return missing && badRequest(`Required parameter ${missing.name} of the test definition ${name} is missing`);
};

const refuseType = (parameters: readonly DefinedParameter[], values: Values): CatalogError | undefined => {
  for (const parameter of parameters) {
    const value = values.get(parameter.name);
    const form = FORMS[parameter.dataType ?? 'STRING'];
    if (value === undefined || isAbsent(value, parameter) || !form) continue;
    const [fits, what] = form;
    if (!fits(value)) return badRequest(`Parameter ${parameter.name} must be ${what}, not ${value}`);
  }
  return undefined;
};

const HOLDS: Readonly<Record<ParameterRule, readonly [holds: (difference: number) => boolean, what: string]>> = {
  EQUALS: [(difference) => Math.abs(difference) <= CLOSE, 'equal to'],
  NOT_EQUALS: [(difference) => Math.abs(difference) > CLOSE, 'other than'],
  GREATER_THAN_OR_EQUALS: [(difference) => difference >= -CLOSE, 'greater than or equal to'],
  LESS_THAN_OR_EQUALS: [(difference) => difference <= CLOSE, 'less than or equal to'],
};

const refuseRule = ({ parameters }: Definition, values: Values): CatalogError | undefined => {
  for (const { name, validationRule } of parameters) {
    const [value, other] = [values.get(name), validationRule && values.get(validationRule.parameterField)];
    if (!validationRule || value === undefined || other === undefined) continue;
    if (!isNumber(value) || !isNumber(other)) continue;
    const [holds, what] = HOLDS[validationRule.rule];
    if (holds(Number(value) - Number(other))) continue;
    return badRequest(`Parameter ${name} (${value}) must be ${what} ${validationRule.parameterField} (${other})`);
  }
  return undefined;
};

/** What speaks against the parameters of a test by this definition; the first thing found, naming the parameter. */
export const refuseParameters = (
  definition: Definition,
  given: readonly GivenParameter[],
): CatalogError | undefined => {
  const values = valuesOf(given);
  return (
    refuseUnknown(definition, given) ??
    refuseMissing(definition, values) ??
    refuseType([...TOLERANCE, ...definition.parameters], values) ??
    refuseRule(definition, values)
  );
};
