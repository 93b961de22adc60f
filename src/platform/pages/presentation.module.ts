import { Global, Module } from '@nestjs/common';
import { Banners } from './banners.js';
import { PageCompletion } from './page.interceptor.js';

@Global()
@Module({ providers: [Banners, PageCompletion], exports: [Banners, PageCompletion] })
export class PresentationModule {}
