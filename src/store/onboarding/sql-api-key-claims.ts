// One transaction deletes the token and inserts the claim, so of twenty simultaneous claims one succeeds.
import { inTransaction } from '../../lib/sql/transactions.ts';
import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Sealer } from '../../lib/sealing.ts';
import { apiKeyRef } from '../../onboarding/onboarding-ids.ts';
import { tenantKeyOf } from '../../onboarding/onboarding.ts';
import { keyStepOf } from '../../onboarding/provider-name.ts';
import { CLAIM_REPLAY_MS } from '../../onboarding/time-limits.ts';
import { type ApiKeyClaim, claimable, type ClaimOutcome, type ClaimRequest } from './api-key-claims.ts';
import { claimColumns, type Database, type Schema } from '../database.ts';
import { getIssued } from '../issued-secret.ts';
import { createSqlSecretStore } from '../secret-store.ts';
import { lockTenant } from './lock-tenant.ts';
import { insertEvents } from './stored-events.ts';
import { readRecord } from './register-rows.ts';
import { rowMapping } from '../row-mapping.ts';
import { replayContext } from '../sealed-secrets.ts';

type Row = Selectable<Schema['api_key_claims']>;
const { toRow, toFields: toClaim } = rowMapping<ApiKeyClaim, typeof claimColumns>(claimColumns);

export type ApiKeyClaims = ReturnType<typeof createSqlApiKeyClaims>;

/** Hands out each tenant's API token once, and forgets it. */
export function createSqlApiKeyClaims(database: Database, sealer: Sealer, now = Date.now) {
  const time = (offsetMs = 0): string => new Date(now() + offsetMs).toISOString();

  async function claim(transaction: Kysely<Schema>, request: ClaimRequest): Promise<ClaimOutcome> {
    const { tenantId, by, apiTokenName, idempotencyKey } = request;
    await lockTenant(transaction, tenantId);
    const record = await readRecord(transaction, tenantId);
    if (record === undefined) return { kind: 'noOnboarding' };
    const { attemptId, outcome, onboarding } = record;
    const { provider } = onboarding;
    if (provider !== undefined && keyStepOf(provider) === null) return { kind: 'noKey', provider };
    const row = await transaction
      .selectFrom('api_key_claims')
      .selectAll()
      .where('attempt_id', '=', attemptId)
      .executeTakeFirst();
    if (row !== undefined) return repeated(row, idempotencyKey);
    const secrets = createSqlSecretStore(transaction, sealer);
    const tokenRef = apiKeyRef(tenantId);
    const issued = claimable.includes(outcome) ? await getIssued(secrets, tokenRef) : undefined;
    if (issued?.id !== tenantKeyOf(onboarding).keyId) return { kind: 'notClaimable', outcome };
    const { id: keyId, secret: token } = issued;
    const claimed: ApiKeyClaim = { tenantId, attemptId, keyId, by, apiTokenName, at: time() };
    await transaction
      .insertInto('api_key_claims')
      .values({
        ...toRow(claimed),
        ...(idempotencyKey === undefined
          ? withoutToken
          : {
              replay_key_hash: hashOf(idempotencyKey),
              sealed_token: sealer.seal(token, replayContext(attemptId)),
              replay_until: time(CLAIM_REPLAY_MS),
            }),
      })
      .execute();
    await secrets.delete(tokenRef);
    const event = { type: 'api_key.claimed', data: { keyId, by, apiTokenName } } as const;
    await insertEvents(transaction, record, [event], { at: claimed.at });
    return { kind: 'claimed', claim: claimed, token, isReplay: false };
  }

  function repeated(row: Row, idempotencyKey: string | undefined): ClaimOutcome {
    const isSame = idempotencyKey !== undefined && row.replay_key_hash === hashOf(idempotencyKey);
    if (!isSame || row.sealed_token === null || (row.replay_until ?? '') < time())
      return { kind: 'alreadyClaimed', claim: toClaim(row) };
    const token = sealer.open(row.sealed_token, replayContext(row.attempt_id));
    return { kind: 'claimed', claim: toClaim(row), token, isReplay: true };
  }

  return {
    claim: (request: ClaimRequest) => inTransaction(database, (transaction) => claim(transaction, request)),

    /** The claims of these onboardings, by attempt ID. */
    async find(attemptIds: readonly string[]): Promise<ReadonlyMap<string, ApiKeyClaim>> {
      if (attemptIds.length === 0) return new Map();
      const rows = await database
        .selectFrom('api_key_claims')
        .selectAll()
        .where('attempt_id', 'in', attemptIds)
        .execute();
      return new Map(rows.map((row) => [row.attempt_id, toClaim(row)]));
    },

    /** Erases the tokens whose minute is over. */
    async eraseReplayable() {
      await database.updateTable('api_key_claims').set(withoutToken).where('replay_until', '<', time()).execute();
    },
  };
}

const withoutToken = { replay_key_hash: null, sealed_token: null, replay_until: null };

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
