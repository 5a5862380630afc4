import { badRequest, type CatalogError } from '../errors.ts';
import type {
  DeclaredTestParameter,
  ParameterRule,
  ParameterType,
  TestParameterValue,
} from '../model/schemas/quality/test-case.ts';
import { parseDateTime } from '../model/time.ts';

/** Validates the parameter values of a test case against its test definition. */

/** The parameters that a test definition declares. Definitions of other platforms leave their names open. */
export type TestDefinitionParameters = {
  readonly name: string;
  readonly target: string;
  readonly platforms: readonly string[];
  readonly parameters: readonly DeclaredTestParameter[];
  readonly isEnabled: boolean;
};

/** Every test accepts these parameters for its tolerance. */
const TOLERANCE: readonly DeclaredTestParameter[] = [
  { name: 'threshold', dataType: 'NUMBER' },
  { name: 'thresholdUnit', dataType: 'STRING' },
];

/** Numbers that differ by less are equal. */
const EPSILON = 0.0001;

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));
const isMoment = (text: string): boolean => isNumber(text) || parseDateTime(text) !== undefined;

/**
 * The format of a value by its parameter type. Types that are missing here, such as lists and maps, accept any text.
 */
const VALUE_FORMATS: Partial<
  Readonly<Record<ParameterType, readonly [fits: (text: string) => boolean, what: string]>>
> = {
  NUMBER: [isNumber, 'a number'],
  // The bounds of means and medians are declared as INT but have always accepted fractions.
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

type ParameterTexts = ReadonlyMap<string, string>;

/**
 * Forms send an empty text for a field that was left blank. Only for types with a format does it mean that the value
 * is absent.
 */
const isAbsent = (value: string | undefined, { dataType = 'STRING' }: DeclaredTestParameter): boolean =>
  value === undefined || (value.trim() === '' && VALUE_FORMATS[dataType] !== undefined);

const valuesOf = (given: readonly TestParameterValue[]): ParameterTexts =>
  new Map(given.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])));

const checkUnknown = (
  definition: TestDefinitionParameters,
  given: readonly TestParameterValue[],
): CatalogError | undefined => {
  const { name, platforms, parameters } = definition;
  if (platforms.includes('GreatExpectations') || name === 'tableDiff') return undefined;
  const known = [...parameters, ...TOLERANCE].map((parameter) => parameter.name);
  const unknown = given.find((parameter) => !known.includes(parameter.name));
  if (!unknown) return undefined;
  const defined = parameters.map((parameter) => parameter.name).join(', ');
  return badRequest(
    parameters.length === 0
      ? `Parameter ${unknown.name} is not defined: the test definition ${name} has no parameters`
      : `Parameter ${unknown.name} is not defined by the test definition ${name}, which defines ${defined}`,
  );
};

const checkRequired = (
  { name, parameters }: TestDefinitionParameters,
  values: ParameterTexts,
): CatalogError | undefined => {
  const missing = parameters.find((parameter) => parameter.required && isAbsent(values.get(parameter.name), parameter));
  return missing && badRequest(`Required parameter ${missing.name} of the test definition ${name} is missing`);
};

const checkTypes = (parameters: readonly DeclaredTestParameter[], values: ParameterTexts): CatalogError | undefined => {
  for (const parameter of parameters) {
    const value = values.get(parameter.name);
    const form = VALUE_FORMATS[parameter.dataType ?? 'STRING'];
    if (value === undefined || isAbsent(value, parameter) || !form) continue;
    const [fits, what] = form;
    if (!fits(value)) return badRequest(`Parameter ${parameter.name} must be ${what}, not ${value}`);
  }
  return undefined;
};

const RULE_CHECKS: Readonly<Record<ParameterRule, readonly [holds: (difference: number) => boolean, what: string]>> = {
  EQUALS: [(difference) => Math.abs(difference) <= EPSILON, 'equal to'],
  NOT_EQUALS: [(difference) => Math.abs(difference) > EPSILON, 'other than'],
  GREATER_THAN_OR_EQUALS: [(difference) => difference >= -EPSILON, 'greater than or equal to'],
  LESS_THAN_OR_EQUALS: [(difference) => difference <= EPSILON, 'less than or equal to'],
};

const checkRules = ({ parameters }: TestDefinitionParameters, values: ParameterTexts): CatalogError | undefined => {
  for (const { name, validationRule } of parameters) {
    const [value, other] = [values.get(name), validationRule && values.get(validationRule.parameterField)];
    if (!validationRule || value === undefined || other === undefined) continue;
    if (!isNumber(value) || !isNumber(other)) continue;
    const [holds, what] = RULE_CHECKS[validationRule.rule];
    if (holds(Number(value) - Number(other))) continue;
    return badRequest(`Parameter ${name} (${value}) must be ${what} ${validationRule.parameterField} (${other})`);
  }
  return undefined;
};

/** Returns the first fault of a test's parameters by its definition; the message names the parameter. */
export const checkTestParameters = (
  definition: TestDefinitionParameters,
  given: readonly TestParameterValue[],
): CatalogError | undefined => {
  const values = valuesOf(given);
  return (
    checkUnknown(definition, given) ??
    checkRequired(definition, values) ??
    checkTypes([...TOLERANCE, ...definition.parameters], values) ??
    checkRules(definition, values)
  );
};
