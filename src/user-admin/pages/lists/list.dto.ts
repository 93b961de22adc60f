import { IsIn } from 'class-validator';
import {
  IsOneText,
  IsReason,
  MayBeEmpty,
  MayBeText,
  ReadsTicks,
} from '../../../platform/validation/decorators.js';
import { KEY_CHANGES, type KeyChange } from '../../lists/change-keys-job.js';
import { AreTexts, PageQuery } from '../pages.dto.js';

export class ListPageQuery extends PageQuery {
  @MayBeText()
  upload?: string;
}

/** The users to add to a list that contains their names in another case. */
export class ListSimilarForm {
  @ReadsTicks()
  @AreTexts()
  user: readonly string[] = [];
}

/** A list whose keys are to be changed, or are changed. */
export class KeyChangeQuery {
  @IsOneText()
  upload!: string;

  /** For the preview; not needed once the change has begun. */
  @MayBeEmpty()
  @IsIn(KEY_CHANGES)
  change: KeyChange = 'disable';
}

export class KeyChangeForm {
  @IsIn(KEY_CHANGES)
  change!: KeyChange;

  @MayBeEmpty()
  @IsReason()
  reason?: string;
}
