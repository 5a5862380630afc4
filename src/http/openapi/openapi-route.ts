import { badRequest } from '../../errors.ts';
import type { Call, Route } from '../route.ts';
import { serveContent } from '../served-content.ts';
import { buildOpenApiDocument, OPENAPI_VERSIONS, type OpenApiOptions, type OpenApiVersion } from './document.ts';

const readVersion = ({ query }: Call): OpenApiVersion => {
  const asked = query.get('version') || OPENAPI_VERSIONS[0];
  const known = OPENAPI_VERSIONS.find((one) => one === asked);
  if (!known) throw badRequest(`[version must be one of ${OPENAPI_VERSIONS.join(', ')}]`);
  return known;
};

/** Declares `GET /openapi.json`. Each version is built on first use, whoever asks for it how often. */
export const openApiRoute = (routes: () => readonly Route[], options: OpenApiOptions): Route => {
  const serve = (standard: OpenApiVersion) =>
    serveContent({
      mediaType: 'application/json',
      read: () => JSON.stringify(buildOpenApiDocument(routes(), { ...options, standard })),
    });
  const served = { '3.1': serve('3.1'), '3.2': serve('3.2') };
  return {
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    tag: 'System',
    access: 'public',
    query: [
      {
        name: 'version',
        description: 'Version of OpenAPI that the document follows',
        schema: { type: 'string', enum: [...OPENAPI_VERSIONS], default: OPENAPI_VERSIONS[0] },
      },
    ],
    responses: { 200: undefined, 304: undefined },
    handle: async (call) => served[readVersion(call)](call),
  };
};
