import { Type } from 'typebox';
import { type Access, accountToList } from '../../auth/authentication.ts';
import { AccountResource, accountResource } from '../../resources/account.ts';
import { LIMIT_MAX } from '../../resources/sending-limits.ts';
import { readAccount } from '../../store/api-keys.ts';
import { putLimits, readCounts, usesOf } from '../../store/sending-limits.ts';
import { problemResponses } from '../schemas/problem.ts';
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

export function accountRoutes(app: EmailServiceApp, { store, settings }: ServiceParts): void {
  async function shown(accountId: string): Promise<AccountResource> {
    const [account, counts] = [await readAccount(store, accountId), await readCounts(store, accountId)];
    return accountResource(account, usesOf(counts, settings.sendingLimits));
  }

  app.get(
    '/accounts/:account',
    {
      config: { access: { scope: 'manage', operator: true } },
      schema: {
        operationId: 'getAccount',
        summary: 'Get an account with its limits and what is used of them',
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
}
