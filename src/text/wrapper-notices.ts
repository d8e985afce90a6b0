// Recognises the notices that a task runner prints around a program: they say that something failed, never what.
// A runner's own errors (a missing script, no rule for a target) are no notices.

const NOTICES: readonly RegExp[] = [
  // npm
  /^npm (?:warn|WARN|notice|info|http|verb|timing)\b/,
  /^npm (?:error|ERR!)\s*$/,
  /^npm (?:error|ERR!) (?:code|errno|path|workspace|location|command|syscall|signal|cwd)\b/,
  /^npm (?:error|ERR!) (?:A complete log of this run|Lifecycle script|Exit status|Test failed\.|Failed at the )/,
  /^npm (?:error|ERR!) (?:To see a list of|This is probably not a problem with npm)/,
  /^npm (?:error|ERR!) {2,}(?:npm run(?:-script)?$|\S*_logs[/\\])/,
  // yarn, pnpm, bun, lerna, nx, turbo
  /^error Command failed(?: with (?:exit code|signal)|\.$)/,
  /^(?:\$ \S|yarn run v|Done in |info Visit https:\/\/yarnpkg\.com|warning package\.json: )/,
  /^\s*(?:ELIFECYCLE|ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL|WARN)\s/,
  /^(?:error: script ".*" exited with code|lerna (?:info|notice|ERR!.*exited \d+ in)|\s*NX {3}Running target .* failed)/,
  /^\s*ERROR {2}run failed: command {1,2}exited/,
  // make and ninja; make's messages are translated, so the patterns use their punctuation
  /^\s*(?:\S*\/)?g?make(?:\[\d+\])?: (?:\*\*\* )?\[.*\] \D*\d+(?: \(.*\))?$/,
  /^\s*(?:\S*\/)?g?make\[\d+\]: (?!\*\*\*)\S.*["'“‘„«»「]/,
  /^\s*(?:\S*\/)?g?make(?:\[\d+\])?: (?:Target .* not remade|\*\*\* Waiting for unfinished jobs)/,
  /^ninja: build stopped: /,
  // just, task, rake, tox, nox
  /^error: [Rr]ecipe `.*` (?:failed|was terminated)/,
  /^task: Failed to run task /,
  /^(?:rake aborted!|Tasks: TOP => .*|\(See full trace by running task with --trace\))$/,
  /^Command failed with status \(\d+\)/,
  /^(?:ERROR: InvocationError for command|nox > (?:Command .* failed with exit code|Session .* failed))/,
  // Composer
  /^Script \S.* handling the \S+ event returned with error code \d+/,
  // cargo
  /^error: (?:test failed, to rerun pass|doctest failed, to rerun pass|\d+ targets? failed:$)/,
  /^error: (?:could not compile `|aborting due to )/,
  /^warning: build failed, waiting for other jobs/,
  /^(?:Some errors have detailed explanations:|For more information about (?:this|an) error, try `rustc)/,
  // Gradle
  /^FAILURE: Build (?:failed with an exception|completed with \d+ failures)/,
  /^(?:\* Try:|\* Get more help at |BUILD FAILED in |Deprecated Gradle features|You can use '--warning-mode)/,
  /^> (?:Run with --|Get more help at |Run gradlew tasks)/,
  // Maven
  /^\[ERROR\](?: -> \[Help 1\])?\s*$/,
  /^\[ERROR\] (?:To see the full stack trace|Re-run Maven using|For more information about the errors|\[Help \d+\]|After correcting the problems)/,
  /^\[ERROR\] {3}mvn <args> -rf/,
  /^\[INFO\](?:\s*$| -{10}| BUILD FAILURE| Total time:| Finished at:)/,
];

export function isWrapperNotice(line: string): boolean {
  return NOTICES.some((notice) => notice.test(line));
}
