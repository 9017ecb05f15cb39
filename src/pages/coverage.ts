import type { CoverageReport } from '../coverage/report.ts';
import { html } from './html.ts';

export const coveragePage = (report: CoverageReport): string =>
  html`<!doctype html>
    <p>${report.summary.operations.percent}</p>`.text;
