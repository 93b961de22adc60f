import { DefaultNamingStrategy } from 'typeorm';

/** `tenantId` of an entity is the column `tenant_id`. */
export class SnakeColumns extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined): string {
    return given ?? property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
