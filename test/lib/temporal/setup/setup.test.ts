import { Connection } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findSetupGaps, type TemporalServices } from '../../../../src/lib/temporal/setup/find-setup-gaps.ts';
import { requireSetup } from '../../../../src/lib/temporal/setup/require-setup.ts';
import { setUpTemporal, SetupIncompleteError } from '../../../../src/lib/temporal/setup/set-up-temporal.ts';
import { setupCommands } from '../../../../src/lib/temporal/setup/setup-commands.ts';
import { type SetupGap, typeName } from '../../../../src/lib/temporal/setup/setup-gap.ts';
import { waitUntilUsable } from '../../../../src/lib/temporal/setup/wait-until-usable.ts';
import {
  deadlineKey,
  findingKey,
  searchAttributeKeys,
  stageKey,
  tenantKey,
} from '../../../../src/workflows/search-attributes.ts';
import { devServer, temporalCli, type TestServer } from '../../../support/temporal.ts';

let server: TestServer;
let connection: Connection;
let native: NativeConnection;
beforeAll(async () => {
  server = await devServer({ searchAttributes: [] });
  connection = await Connection.connect({ address: server.address });
  native = await NativeConnection.connect({ address: server.address });
});
afterAll(async () => {
  await native.close();
  await connection.close();
  await server.stop();
});

const setUp = (namespace: string, searchAttributes = searchAttributeKeys) =>
  setUpTemporal({ connection, address: server.address, namespace, searchAttributes });
const missing = (name: string, type = 'Keyword'): SetupGap => ({ kind: 'search_attribute', name, type, found: null });
const allMissing = searchAttributeKeys.map((key) => missing(key.name, typeName(key)));

/** As Temporal Cloud does it: the operator service is not for the Namespace's credentials. */
const refusing: TemporalServices = {
  get workflowService() {
    return connection.workflowService;
  },
  get operatorService() {
    const refuse = (): never => {
      throw Object.assign(new Error('7 PERMISSION_DENIED'), {
        code: 7,
        details: 'Request unauthorized.',
        metadata: {},
      });
    };
    return new Proxy(connection.operatorService, { get: () => refuse });
  },
  withDeadline: (deadline, call) => connection.withDeadline(deadline, call),
};

describe('setUpTemporal', () => {
  test('creates the Namespace and every Search Attribute, and changes nothing when it runs again', async () => {
    expect(await findSetupGaps(connection, 'fresh', searchAttributeKeys)).toEqual([
      { kind: 'namespace', name: 'fresh' },
    ]);
    expect(await setUp('fresh')).toEqual({
      namespaceCreated: true,
      registered: searchAttributeKeys.map(({ name }) => name),
    });
    expect(await setUp('fresh')).toEqual({ namespaceCreated: false, registered: [] });
    expect(await findSetupGaps(connection, 'fresh', searchAttributeKeys)).toEqual([]);
  });

  test('registers only what is missing', async () => {
    await setUp('partial', [tenantKey]);
    const { registered } = await setUp('partial', [tenantKey, stageKey]);
    expect(registered).toEqual([stageKey.name]);
  });

  test('two at once both succeed', async () => {
    await Promise.all([setUp('raced'), setUp('raced')]);
    expect(await findSetupGaps(connection, 'raced', searchAttributeKeys)).toEqual([]);
  });

  test('refuses to touch a Search Attribute of another type, and prints commands that fix it', async () => {
    await setUp('typed', [defineSearchAttributeKey(stageKey.name, SearchAttributeType.TEXT) as never]);
    const error = await setUp('typed').catch((thrown: unknown) => thrown as SetupIncompleteError);
    expect(error).toBeInstanceOf(SetupIncompleteError);
    const { gaps, message } = error as SetupIncompleteError;
    expect(message).toContain('The Search Attribute SendoffStage has the type Text; sendoff needs Keyword');
    expect(gaps).toContainEqual({ kind: 'search_attribute', name: 'SendoffStage', type: 'Keyword', found: 'Text' });
    await runAll((error as SetupIncompleteError).commands);
    expect(await findSetupGaps(connection, 'typed', searchAttributeKeys)).toEqual([]);
  });

  test('names the limit of the server and another Namespace as the way out when there is no room left', async () => {
    await setUp('full', []);
    const others = Object.fromEntries(['A', 'B', 'C'].map((name) => [name, 2 as const]));
    await connection.operatorService.addSearchAttributes({ namespace: 'full', searchAttributes: others });
    await expect(setUp('full')).rejects.toThrow(
      /cannot have more than 10 search attribute of type Keyword[^]*set TEMPORAL_NAMESPACE/,
    );
  });

  test('where the operator service is refused, says what is missing and prints the commands', async () => {
    await setUp('foreign', []);
    const refused = new Proxy(connection, {
      get: (target, name) =>
        (name === 'operatorService' ? refusing.operatorService : Reflect.get(target, name)) as unknown,
    });
    const error: unknown = await setUpTemporal({
      connection: refused,
      address: 'sendoff.a1b2c.tmprl.cloud:7233',
      namespace: 'foreign',
      searchAttributes: searchAttributeKeys,
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'SetupIncompleteError', gaps: allMissing });
    expect((error as SetupIncompleteError).commands).toEqual([
      'tcld namespace search-attributes add --namespace foreign ' +
        searchAttributeKeys.map((key) => `--search-attribute "${key.name}=${typeName(key)}"`).join(' '),
    ]);
  });
});

describe('the commands for a person with more rights', () => {
  test('create on a server of one’s own what is missing', async () => {
    const options = { address: server.address, namespace: 'by-hand', retentionDays: 3 };
    await runAll(setupCommands([{ kind: 'namespace', name: 'by-hand' }], options));
    await waitUntilUsable({ connection, namespace: 'by-hand', searchAttributes: [], timeoutMs: 30_000 });
    await runAll(setupCommands(allMissing, options));
    expect(await findSetupGaps(connection, 'by-hand', searchAttributeKeys)).toEqual([]);
  });

  test('name the Namespace of Temporal Cloud with and without its account, as tcld wants it', () => {
    const options = { address: 'us-east-1.aws.api.temporal.io:7233', namespace: 'sendoff.a1b2c', retentionDays: 10 };
    const wrongType = { ...missing('SendoffStage'), found: 'Text' } as SetupGap;
    expect(setupCommands([{ kind: 'namespace', name: 'sendoff.a1b2c' }, wrongType], options)).toEqual([
      'tcld namespace create --namespace sendoff --region <region> --auth-method api_key --retention-days 10',
      'tcld namespace search-attributes rename --namespace sendoff.a1b2c --existing-name SendoffStage --new-name SendoffStageOld',
      'tcld namespace search-attributes add --namespace sendoff.a1b2c --search-attribute "SendoffStage=Keyword"',
    ]);
  });
});

describe('findSetupGaps', () => {
  test('finds the same where the Search Attributes may not be listed', async () => {
    await setUp('probed', [
      tenantKey,
      ...[stageKey, findingKey, deadlineKey].map(
        ({ name }) => defineSearchAttributeKey(name, SearchAttributeType.TEXT) as never,
      ),
    ]);
    expect(await findSetupGaps(refusing, 'probed', [tenantKey])).toEqual([]);
    expect(await findSetupGaps(refusing, 'probed', searchAttributeKeys)).toEqual(
      (await findSetupGaps(connection, 'probed', searchAttributeKeys)).map((gap) =>
        gap.kind === 'search_attribute' && gap.found !== null ? { ...gap, found: 'another type' } : gap,
      ),
    );
  });

  test('tells the types apart where the Search Attributes may not be listed', async () => {
    const { TEXT, KEYWORD, KEYWORD_LIST, DATETIME } = SearchAttributeType;
    const types = [TEXT, KEYWORD, KEYWORD_LIST, DATETIME];
    const named = (name: string, type: (typeof types)[number]) => defineSearchAttributeKey(name, type) as never;
    await setUp(
      'kinds',
      types.map((type) => named(`A${type}`, type)),
    );
    for (const wanted of [KEYWORD, KEYWORD_LIST, DATETIME]) {
      for (const type of types) {
        const gaps = await findSetupGaps(refusing, 'kinds', [named(`A${type}`, wanted)]);
        expect(gaps, `${type} for ${wanted}`).toMatchObject(type === wanted ? [] : [{ found: 'another type' }]);
      }
    }
  });

  test.each([
    ['a Client', () => connection],
    ['a Worker', () => native],
  ])('finds the same through the connection of %s', async (_whose, services) => {
    expect(await findSetupGaps(services(), 'absent', [])).toEqual([{ kind: 'namespace', name: 'absent' }]);
    expect(await findSetupGaps(services(), 'default', searchAttributeKeys)).toEqual(allMissing);
  });

  test('throws when the server refuses the credentials: nothing is known to be missing then', async () => {
    const denied: TemporalServices = {
      ...refusing,
      workflowService: refusing.operatorService as never,
    };
    await expect(findSetupGaps(denied, 'default', searchAttributeKeys)).rejects.toThrow('PERMISSION_DENIED');
  });
});

test('requireSetup names what is missing and the command to run', async () => {
  await expect(requireSetup(native, 'default', searchAttributeKeys)).rejects.toThrow(
    /SendoffTenant \(Keyword\)[^]*sendoff setup$/,
  );
});

/** As a person would run them in a shell, where `temporal` is on the PATH. */
async function runAll(commands: readonly string[]): Promise<void> {
  const cli = await temporalCli();
  for (const command of commands) {
    await promisify(execFile)('sh', ['-c', command.replace(/^temporal /, '"$CLI" ')], {
      env: { CLI: cli, HOME: tmpdir() },
    });
  }
}
