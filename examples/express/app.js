import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ScalekitClient } from '@scalekit-sdk/node';
import cookieSession from 'cookie-session';
import express from 'express';

/** `scalekit` has the `url`, `clientId`, `clientSecret` and `webhookSecret` of your Scalekit environment. */
export function createApp({ appUrl, sessionSecret, scalekit }) {
  const client = new ScalekitClient(scalekit.url, scalekit.clientId, scalekit.clientSecret);
  const redirectUri = `${appUrl}/callback`;
  const organizationNames = new Map();

  const app = express();
  app.set('view engine', 'ejs');
  app.set('views', join(import.meta.dirname, 'views'));
  app.use(cookieSession({ secret: sessionSecret, sameSite: 'lax', secure: appUrl.startsWith('https:') }));

  app.get('/', async (request, response) => {
    const { user, organizationId } = request.session;
    const organization = user && (await organizationName(organizationId));
    response.render('home', { user, organization });
  });

  app.get('/login', (request, response) => {
    const state = randomBytes(32).toString('base64url');
    const codeVerifier = randomBytes(32).toString('base64url');
    request.session = { state, codeVerifier };
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const pkce = { codeChallenge, codeChallengeMethod: 'S256' };
    response.redirect(client.getAuthorizationUrl(redirectUri, { state, ...pkce }));
  });

  app.get('/callback', async (request, response) => {
    const { code, error, state } = request.query;
    const { codeVerifier, state: expectedState } = request.session;
    request.session = null;
    if (!expectedState || state !== expectedState)
      return refuse(response, 'The sign-in was not started here.');
    if (error) return refuse(response, `The sign-in was refused: ${error}`);

    const { user, idToken, accessToken } = await client.authenticateWithCode(code, redirectUri, {
      codeVerifier,
    });
    const { oid } = await client.validateToken(accessToken);
    request.session = { user, organizationId: oid, idToken };
    return response.redirect('/');
  });

  app.get('/logout', (request, response) => {
    const { idToken } = request.session;
    request.session = null;
    response.redirect(client.getLogoutUrl({ idTokenHint: idToken, postLogoutRedirectUri: appUrl }));
  });

  app.get('/api/invoices', requirePermission('invoices:read'), (_request, response) => {
    response.json({ organization: response.locals.claims.oid, invoices: ['INV-1', 'INV-2'] });
  });

  app.post('/webhooks', express.text({ type: 'application/json' }), (request, response) => {
    try {
      client.verifyWebhookPayload(scalekit.webhookSecret, request.headers, request.body);
    } catch {
      return response.sendStatus(401);
    }
    const { type, data } = JSON.parse(request.body);
    if (type === 'organization.updated') organizationNames.set(data.id, data.display_name);
    return response.sendStatus(204);
  });

  app.use((error, _request, response, _next) => {
    console.error(error.message);
    response.status(503).render('home', { notice: 'Something went wrong. Please try again.' });
  });

  async function organizationName(id) {
    if (!organizationNames.has(id)) {
      const { organization } = await client.organization.getOrganization(id);
      organizationNames.set(id, organization.displayName);
    }
    return organizationNames.get(id);
  }

  function requirePermission(permission) {
    return async (request, response, next) => {
      const [, token] = request.get('authorization')?.match(/^Bearer (.+)$/) ?? [];
      const wanted = { audience: [scalekit.clientId] };
      const claims = token && (await client.validateToken(token, wanted).catch(() => undefined));
      if (!claims) return response.sendStatus(401);
      if (!claims.permissions?.includes(permission)) return response.sendStatus(403);
      response.locals.claims = claims;
      return next();
    };
  }

  return app;
}

const refuse = (response, notice) => response.status(403).render('home', { notice });
