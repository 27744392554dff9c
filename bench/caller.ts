import { Agent, request } from 'undici';

export interface Caller {
  readonly token: string;
  put(path: string, body: object): Promise<unknown>;
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Posts exactly this body. @returns the status, of a refusal too */
  postText(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<number>;
  get(path: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Calls a JSON API and keeps its connections. Throws if an answer is not a success. */
export function createCaller({ url, token }: { readonly url: string; readonly token: string }): Caller {
  const agent = new Agent();
  async function send(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; text: string }> {
    const answer = await request(url + path, {
      ...{ dispatcher: agent, method },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }
  async function call(...[method, path, ...content]: Parameters<typeof send>): Promise<unknown> {
    const { status, text } = await send(method, path, ...content);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  return {
    token,
    put: (path, body) => call('PUT', path, JSON.stringify(body)),
    post: (path, body, headers) => call('POST', path, JSON.stringify(body), headers),
    postText: async (path, body, headers) => (await send('POST', path, body, headers)).status,
    get: (path) => call('GET', path),
    close: () => agent.close(),
  };
}
