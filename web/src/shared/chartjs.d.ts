// What the charts use of Chart.js 3.9, whose package has no types.

declare module "chart.js" {
  export interface ChartPoint {
    x: number;
    y: number | null;
  }

  export interface ChartDataset {
    data: ChartPoint[];
    hidden?: boolean;
    order?: number;
    fill?: boolean | string;
    showLine?: boolean;
    clip?: false;
    borderColor?: string;
    backgroundColor?: string;
    borderWidth?: number;
    borderDash?: number[];
    pointRadius?: number | number[];
    pointStyle?: string;
    pointBorderColor?: string;
    pointBackgroundColor?: string;
    pointBorderWidth?: number;
  }

  export interface ScaleOptions {
    type: "linear" | "logarithmic";
    min?: number;
    max?: number;
    title: { display: boolean; text: string; color?: string; font?: object };
    ticks: {
      color?: string; font?: object; maxRotation: number; autoSkipPadding: number; maxTicksLimit?: number;
      callback: (value: number) => string | null;
    };
    grid: { color?: string; borderColor?: string };
    afterBuildTicks?: (scale: Scale) => void;
  }

  export class Scale {
    min: number;
    max: number;
    width: number;
    ticks: { value: number }[];
    getPixelForValue(value: number): number;
    getValueForPixel(pixel: number): number;
  }

  export interface ChartOptions {
    animation: false;
    responsive: boolean;
    maintainAspectRatio: boolean;
    parsing: false;
    normalized: boolean;
    events: string[];
    layout: { padding: number | object };
    scales: { x: ScaleOptions; y: ScaleOptions };
  }

  export interface ChartPlugin {
    id: string;
    afterDatasetsDraw?: (chart: Chart) => void;
  }

  export class Chart {
    constructor(canvas: HTMLCanvasElement, configuration: {
      type: "line"; data: { datasets: ChartDataset[] }; options: ChartOptions; plugins: ChartPlugin[];
    });
    static register(...parts: unknown[]): void;
    data: { datasets: ChartDataset[] };
    options: ChartOptions;
    scales: { x: Scale; y: Scale };
    ctx: CanvasRenderingContext2D;
    chartArea: { left: number; right: number; top: number; bottom: number };
    update(mode?: "none"): void;
    draw(): void;
    destroy(): void;
  }

  export const LineController: unknown;
  export const LineElement: unknown;
  export const PointElement: unknown;
  export const LinearScale: unknown;
  export const LogarithmicScale: unknown;
  export const Filler: unknown;
}
