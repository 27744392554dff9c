import { Agent, request } from 'undici';

export interface Caller {
  put(path: string, body: object): Promise<unknown>;
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Posts exactly this body. */
  postText(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<unknown>;
  get(path: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Calls a JSON API and keeps its connections. Throws if an answer is not a success. */
export function createCaller({ url, token }: { readonly url: string; readonly token: string }): Caller {
  const agent = new Agent();
  async function call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const answer = await request(url + path, {
      ...{ dispatcher: agent, method },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  return {
    put: (path, body) => call('PUT', path, JSON.stringify(body)),
    post: (path, body, headers) => call('POST', path, JSON.stringify(body), headers),
    postText: (path, body, headers) => call('POST', path, body, headers),
    get: (path) => call('GET', path),
    close: () => agent.close(),
  };
}
