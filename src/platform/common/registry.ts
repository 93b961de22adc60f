/** What features register, by name. A second registration of a name is a mistake, which the start shows. */
export class Registry<Name, Registered> extends Map<Name, Registered> {
  override set(name: Name, registered: Registered): this {
    if (this.has(name)) throw new Error(`${String(name)} is registered already.`);
    return super.set(name, registered);
  }
}
