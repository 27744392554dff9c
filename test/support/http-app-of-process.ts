// Stands for lib/http/create-http-app.ts in what tests import from src/ (vitest.config.ts): hundreds of tests build an app with the
// same routes, and compiling their schemas takes most of the time.
import type { FastifySchemaCompiler } from 'fastify';
import { createRequire } from 'node:module';
import { createHttpApp as create, type HttpApp, type HttpAppOptions } from '../../src/lib/http/create-http-app.ts';

export type { HttpApp, HttpAppOptions };

type Compile = FastifySchemaCompiler<unknown>;
type BuildCompiler = (externalSchemas: unknown, options: unknown) => Compile;

/** Those that Fastify takes by default, which it does not export. */
const requireOfFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const builderIn = (name: string): BuildCompiler => (requireOfFastify(name) as () => BuildCompiler)();
const compilersFactory = {
  buildValidator: compilingOnce(builderIn('@fastify/ajv-compiler')),
  buildSerializer: compilingOnce(builderIn('@fastify/fast-json-stringify-compiler')),
};

export const createHttpApp = (options: HttpAppOptions): HttpApp =>
  create(options).setSchemaController({ compilersFactory } as Parameters<HttpApp['setSchemaController']>[0]);

function compilingOnce(build: BuildCompiler): BuildCompiler {
  const compiled = new Map<string, ReturnType<Compile>>();
  return (externalSchemas, options) => {
    const given = JSON.stringify([externalSchemas, options]);
    let compile: Compile | undefined;
    return (route) => {
      const key = `${given}${JSON.stringify(route.schema)}`;
      const known = compiled.get(key);
      if (known !== undefined) return known;
      const made = (compile ??= build(externalSchemas, options))(route);
      compiled.set(key, made);
      return made;
    };
  };
}
