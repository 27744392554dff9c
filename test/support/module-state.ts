import ts from 'typescript';

const CHANGING_METHODS: ReadonlySet<string> = new Set([
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
  ...['set', 'add', 'delete', 'clear'],
]);

/** Each place in this source that changes, or may change, what the module itself holds: what two callers would share. */
export function moduleState(source: string): string[] {
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest, true);
  const held = namesOf(file);
  const found: string[] = [];
  const add = (node: ts.Node): void => {
    found.push(node.getText(file).split('\n')[0] ?? '');
  };
  /** Whether the expression is a part of something that the module holds. */
  const isHeld = (node: ts.Node): boolean => {
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) return isHeld(node.expression);
    return ts.isIdentifier(node) && held.has(node.text);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclarationList(node) && isOfModule(node) && (node.flags & ts.NodeFlags.Const) === 0) add(node);
    if (ts.isPropertyDeclaration(node) && has(node, 'StaticKeyword') && !has(node, 'ReadonlyKeyword')) add(node);
    if (changed(node).some(isHeld)) add(node);
    if (isGlobalPatternCall(node, held)) add(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** What this expression changes. */
function changed(node: ts.Node): ts.Node[] {
  if (ts.isDeleteExpression(node)) return [node.expression];
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const { operator } = node;
    return operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken ? [node.operand] : [];
  }
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    if (kind < ts.SyntaxKind.FirstAssignment || kind > ts.SyntaxKind.LastAssignment) return [];
    // Of a sticky pattern, written before each use.
    return ts.isPropertyAccessExpression(node.left) && node.left.name.text === 'lastIndex' ? [] : [node.left];
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression: object, name } = node.expression;
  if (object.getText() === 'Object' && name.text === 'assign') return node.arguments.slice(0, 1);
  return CHANGING_METHODS.has(name.text) ? [object] : [];
}

/** `test` and `exec` of a global pattern continue where the call before ended. */
function isGlobalPatternCall(node: ts.Node, held: ReadonlyMap<string, ts.Expression | undefined>): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { expression: object, name } = node.expression;
  const pattern = ts.isIdentifier(object) ? held.get(object.text) : undefined;
  return (
    (name.text === 'test' || name.text === 'exec') &&
    pattern !== undefined &&
    ts.isRegularExpressionLiteral(pattern) &&
    /g[a-z]*$/.test(pattern.text)
  );
}

/** The names that a module declares for itself or imports, with the value of a constant. */
function namesOf(file: ts.SourceFile): ReadonlyMap<string, ts.Expression | undefined> {
  const names = new Map<string, ts.Expression | undefined>();
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name)) names.set(name.text, initializer);
    const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    if (bindings !== undefined && ts.isNamedImports(bindings))
      for (const { name } of bindings.elements) names.set(name.text, undefined);
  }
  return names;
}

const isOfModule = (list: ts.VariableDeclarationList): boolean => ts.isSourceFile(list.parent.parent);

const has = (node: ts.PropertyDeclaration, kind: 'StaticKeyword' | 'ReadonlyKeyword'): boolean =>
  node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind[kind]) ?? false;
