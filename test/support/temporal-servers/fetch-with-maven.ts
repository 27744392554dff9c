import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReportLine, runCommand } from '../../../src/dev/temporal/run-command.ts';

export const mavenTestServerVersion = '1.31.0';

const COPY_DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';

/** The name of the folder of the jars beside the start script. */
export const jarsFolderName = 'jars';

/** The name of the start script inside the folder that `fetchWithMaven` returns. */
export const startScriptName = 'temporal-test-server';

export interface FetchWithMavenOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly report: ReportLine;
}

/** Fetches the Java test server with Maven. Returns a folder that may be moved: the jars and a script that starts them. */
export async function fetchWithMaven({ folder, report }: FetchWithMavenOptions): Promise<string> {
  const made = join(folder, 'server');
  const jars = join(made, jarsFolderName);
  await mkdir(jars, { recursive: true });
  await writeFile(join(folder, 'pom.xml'), projectFile());
  report(`Fetching the Temporal test server ${mavenTestServerVersion} with Maven`);
  await runCommand({
    command: 'mvn',
    args: ['--batch-mode', COPY_DEPENDENCIES, `-DoutputDirectory=${jars}`, '-DincludeScope=runtime'],
    folder,
    title: 'Fetching the Temporal test server',
    report,
    progress: (lines) => lines,
    describe: (lines) => (lines === 0 ? undefined : `${String(lines)} lines of Maven`),
    // Maven itself gives a server that does not answer 10 s and retries thrice.
    stalledAfterMs: { start: 60_000, later: 120_000 },
  });
  if (!(await readdir(jars)).some((name) => name.startsWith('temporal-test-server-'))) {
    throw new Error(`Maven ended without an error but left no temporal-test-server jar in ${jars}`);
  }
  const script = join(made, startScriptName);
  await writeFile(script, START_SCRIPT);
  await chmod(script, 0o755);
  return made;
}

function projectFile(): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sendoff</groupId>
  <artifactId>temporal-test-server-jars</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${mavenTestServerVersion}</version>
    </dependency>
    <!-- Without a logger SLF4J complains about that at every start. -->
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-nop</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;
}

// Becomes the server by exec, so that stopping the script stops the server. The loop beside it ends the server when
// its parent is gone without having stopped it. One compiler level is enough for runs of seconds and halves the start.
const START_SCRIPT = `#!/bin/sh
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
parent=$PPID
(
  while kill -0 $$ 2>/dev/null; do
    kill -0 "$parent" 2>/dev/null || kill -9 $$
    sleep 1
  done
) </dev/null >/dev/null 2>&1 &
exec "\${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 -cp "$folder/${jarsFolderName}/*" io.temporal.testserver.TestServer "$@"
`;
