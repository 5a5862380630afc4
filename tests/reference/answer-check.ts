import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { anonymous, type Reply, type Service } from '../support/service.ts';

const SCHEMAS = 'https://api.example/schemas/';

type Place = Readonly<Record<string, Json>>;

/** Says what is wrong with an answer by the API document, or undefined. */
export type AnswerCheck = (method: string, path: string, reply: Reply) => string | undefined;

export const createAnswerCheck = async (service: Service): Promise<AnswerCheck> => {
  const text = ok(await anonymous(service).get('/openapi.json'));
  // Each component is a schema of its own, so that it is compiled once and not for every operation that refers to it.
  const document = JSON.parse(JSON.stringify(text).replaceAll('"#/components/schemas/', `"${SCHEMAS}`)) as JsonObject;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  const { schemas } = document['components'] as Record<string, JsonObject>;
  for (const [name, schema] of Object.entries(schemas ?? {})) ajv.addSchema(schema as object, `${SCHEMAS}${name}`);

  const resolve = (value: Json | undefined): Place | undefined => {
    const reference = (value as Place | undefined)?.['$ref'];
    if (typeof reference !== 'string') return value as Place | undefined;
    const steps = reference.slice('#/'.length).split('/');
    return steps.reduce<Place>((place, step) => place[step] as Place, document);
  };

  return (method, path, reply) => {
    const operation = (document['paths'] as JsonObject)[path] as Place;
    const { responses } = operation[method.toLowerCase()] as Place;
    const declared = resolve((responses as Place)[String(reply.status)]);
    const place = `${method} ${path} ${reply.status}`;
    if (declared === undefined) return `${place} is not declared: ${reply.text.slice(0, 200)}`;
    const content = declared['content'] as Place | undefined;
    const mediaType = reply.headers.get('content-type')?.split(';')[0] ?? '';
    if (reply.text === '' && content === undefined) return undefined;
    const schema = (content?.[mediaType] as Place | undefined)?.['schema'];
    if (schema === undefined) return `${place} has ${mediaType || 'no body'}, which is not declared`;
    const value: unknown = mediaType === 'application/json' ? reply.json : reply.text;
    const isValid = ajv.validate(schema as object, value);
    if (isValid) return undefined;
    return `${place}: ${ajv.errorsText(ajv.errors)} in ${reply.text.slice(0, 300)}`;
  };
};
