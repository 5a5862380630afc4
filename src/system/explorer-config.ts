import type { Config } from '../config.ts';
import { asOwn, type Route } from '../http/route.ts';
import { Flag, Integer, must, shape, Text, Url } from '../model/values.ts';
import { readBuildId } from './build-id.ts';
import { signInUrlOf } from './sign-in-url.ts';

const ExplorerConfig = shape('ExplorerConfig', {
  signIn: must(
    shape('ExplorerSignIn', {
      password: must(Flag),
      token: must(Flag),
      oidc: shape('ExplorerSignInProvider', { signInUrl: must(Url) }),
    }),
  ),
  version: must(Text),
  limits: must(shape('ExplorerLimits', { lineageNodes: must(Integer), lineageDepth: must(Integer) })),
});

type ExplorerSettings = Pick<Config, 'limits'> & { readonly auth: Pick<Config['auth'], 'signIn'> };

/** Anybody may read this, so it names neither the provider nor what its application is called there. */
const buildExplorerConfig = ({ auth, limits: { lineageNodes, lineageDepth } }: ExplorerSettings) => {
  const signInUrl = signInUrlOf(auth);
  return {
    signIn: { password: true, token: true, ...(signInUrl === undefined ? {} : { oidc: { signInUrl } }) },
    version: readBuildId(),
    limits: { lineageNodes, lineageDepth },
  };
};

/** The route for what the explorer needs to know of a service before anybody has signed in. */
export const explorerConfigRoutes = (settings: ExplorerSettings): readonly Route[] => {
  const json = buildExplorerConfig(settings);
  return asOwn([
    {
      method: 'GET',
      path: '/v1/system/config/explorer',
      summary: 'Get the configuration of the explorer',
      tag: 'System',
      access: 'public',
      responses: { 200: ExplorerConfig },
      handle: () => Promise.resolve({ status: 200, json }),
    },
  ]);
};
