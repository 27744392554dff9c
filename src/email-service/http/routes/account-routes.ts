import { Type } from 'typebox';
import { readIdempotencyKey } from '../../../lib/http/read-idempotency-key.ts';
import { type Access, accountToList, callerName } from '../../auth/authentication.ts';
import {
  AccountResource,
  accountResource,
  AccountStatus,
  ListedAccount,
  listedAccount,
} from '../../resources/account.ts';
import { LIMIT_MAX } from '../../resources/sending-limits.ts';
import { pauseAccount, recentOutcomes, resumeAccount } from '../../store/account-pauses.ts';
import { readAccount } from '../../store/api-keys.ts';
import { putLimits, readCounts, usesOf } from '../../store/sending-limits.ts';
import { readAccounts } from '../../store/lists.ts';
import { queryNumber } from '../../../lib/http/query-values.ts';
import { LIMIT, pageOf, pageQueryOfAll, toPage } from '../schemas/page.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';

const AccountParams = Type.Object({
  account: Type.String({ description: "The caller's name for the account, percent-encoded." }),
});

const Limit = Type.Optional(
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: LIMIT_MAX,
    description: 'Null, or left out: the default.',
  }),
);
const Limits = Type.Object({ minute: Limit, hour: Limit, day: Limit }, { additionalProperties: false });

const operatorOnly: Access = { scope: null, operator: true };

const Reason = Type.Object(
  { reason: oneLine({ minLength: 1, maxLength: 500, description: 'Why; shown to the account.' }) },
  { additionalProperties: false },
);

export function accountRoutes(app: EmailServiceApp, { store, settings, background, now }: ServiceParts): void {
  async function shown(accountId: string): Promise<AccountResource> {
    const account = await readAccount(store, accountId);
    const bounces = await recentOutcomes(store, accountId, now());
    return accountResource(account, bounces, usesOf(await readCounts(store, accountId), settings.sendingLimits));
  }

  app.get(
    '/accounts',
    {
      config: { access: operatorOnly },
      schema: {
        operationId: 'listAccounts',
        summary: 'List accounts, oldest first',
        querystring: Type.Object(
          { status: Type.Optional(AccountStatus), ...pageQueryOfAll('acc') },
          { additionalProperties: false },
        ),
        response: {
          200: pageOf(ListedAccount, 'One page of the list.'),
          ...problemResponses('withoutBody', 'validation_failed'),
        },
      },
      preValidation: [queryNumber('limit')],
    },
    async ({ query: { status, cursor: afterId = '', limit = LIMIT.otherwise } }) =>
      toPage(await readAccounts(store, { afterId, limit }, status), limit, listedAccount),
  );

  app.get(
    '/accounts/:account',
    {
      config: { access: { scope: 'manage', operator: true } },
      schema: {
        operationId: 'getAccount',
        summary: 'Get an account: whether it is paused, its bounces, its limits and what is used of them',
        params: AccountParams,
        response: { 200: AccountResource, ...problemResponses('withoutBody', 'not_found') },
      },
    },
    async (request) => shown(await accountToList(store, request, request.params.account)),
  );

  app.put(
    '/accounts/:account/limits',
    {
      config: { access: operatorOnly },
      schema: {
        operationId: 'putAccountLimits',
        summary: 'Set how many emails an account may send in a minute, an hour and a day; holds from the next email on',
        params: AccountParams,
        body: Limits,
        response: { 200: AccountResource, ...problemResponses('withBody', 'not_found') },
      },
    },
    async (request) => {
      const accountId = await accountToList(store, request, request.params.account);
      const { minute = null, hour = null, day = null } = request.body;
      await putLimits(store, accountId, { minute, hour, day });
      request.log.info({ accountId, limits: request.body }, 'limits of an account set');
      return shown(accountId);
    },
  );

  const changes = [
    {
      path: 'pause',
      change: pauseAccount,
      operationId: 'pauseAccount',
      summary:
        'Stop an account from sending; what is queued waits. Replaces a pause by the bounce rate; otherwise the first reason stays',
      done: 'account paused',
    },
    {
      path: 'resume',
      change: resumeAccount,
      operationId: 'resumeAccount',
      summary: 'Let a paused account send again; its bounces so far count no more',
      done: 'account resumed',
    },
  ] as const;
  for (const { path, change, operationId, summary, done } of changes) {
    app.post(
      `/accounts/:account/${path}`,
      {
        config: { access: operatorOnly },
        schema: {
          ...{ operationId, summary, params: AccountParams, body: Reason },
          response: { 200: AccountResource, ...problemResponses('withBody', 'not_found') },
        },
      },
      async (request) => {
        // Only validated: a repeat changes nothing.
        readIdempotencyKey(request.headers['idempotency-key']);
        const accountId = await accountToList(store, request, request.params.account);
        const { reason } = request.body;
        const by = callerName(request);
        const claimed = background.makesFirstAttempts;
        const posts = await change(store, { accountId, by, reason, now: now(), claimed });
        if (posts !== undefined) request.log.info({ accountId, reason }, done);
        posts?.forEach(background.begin);
        return shown(accountId);
      },
    );
  }
}
