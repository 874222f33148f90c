"""A page on TensorFlow's three core functions: devices, their times, gradients.

`matmul_times.png` is drawn into the current folder: the times by size, on the CPU and on the GPU.
"""

import matplotlib.pyplot as plt
import timeit

import autograph.tf as tf

n = 1000
# Without a GPU, its operations are computed on the CPU.
tf.config.set_soft_device_placement(not tf.config.list_physical_devices('GPU'))

#创建在CPU环境上运算的2个矩阵
with tf.device('/cpu:0'):
    cpu_a = tf.random.normal([1,n])
    cpu_b = tf.random.normal([n,1])
    print(cpu_a.device,cpu_b.device)
#创建使用GPU环境运算的2个矩阵
with tf.device('/gpu:0'):
    gpu_a = tf.random.normal([1,n])
    gpu_b = tf.random.normal([n,1])
    print(gpu_a.device,gpu_b.device)

def cpu_run():
    with tf.device('/cpu:0'):
        c = tf.matmul(cpu_a,cpu_b)
    return c

def gpu_run():
    with tf.device('/gpu:0'):
        c = tf.matmul(gpu_a,gpu_b)
    return c

#第一次计算需要热身,避免将初始化时间结算在内
cpu_time = timeit.timeit(cpu_run,number=10)
gpu_time = timeit.timeit(gpu_run,number=10)
print('warmup:',cpu_time,gpu_time)
#正式计算10次,取平均时间
cpu_time = timeit.timeit(cpu_run,number=10)
gpu_time = timeit.timeit(gpu_run,number=10)
print('run time:',cpu_time,gpu_time)
print(cpu_run().shape, cpu_run().dtype)

# The page describes the curves that it draws: times of each n.
sizes = [10**i for i in range(8)]
cpu_times, gpu_times = [], []
for n in sizes:
    with tf.device('/cpu:0'):
        cpu_a = tf.random.normal([1,n])
        cpu_b = tf.random.normal([n,1])
    with tf.device('/gpu:0'):
        gpu_a = tf.random.normal([1,n])
        gpu_b = tf.random.normal([n,1])
    timeit.timeit(cpu_run,number=10), timeit.timeit(gpu_run,number=10)
    cpu_times.append(timeit.timeit(cpu_run,number=10) / 10)
    gpu_times.append(timeit.timeit(gpu_run,number=10) / 10)

plt.switch_backend('Agg')
plt.plot(sizes, cpu_times, 'o-', label='CPU')
plt.plot(sizes, gpu_times, 's-', label='GPU')
plt.xscale('log')
plt.yscale('log')
plt.xlabel('n')
plt.ylabel('seconds')
plt.legend()
plt.savefig('matmul_times.png')
print(len(cpu_times), len(gpu_times), min(cpu_times + gpu_times) > 0)

# 自动梯度
import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2' #忽略CPU与tensorflow版本问题
import autograph.tf as tf
#创建4个张量,并赋值
a = tf.constant(1.)
b = tf.constant(2.)
c = tf.constant(3.)
w = tf.constant(4.)

with tf.GradientTape()as tape:#构建梯度环境
    tape.watch([w])#将w加入梯度跟踪列表
#构建计算过程,即函数表达式
    y = a * w**2 + b * w +c
#自动求导
[dy_dw] = tape.gradient(y,[w])
print(dy_dw)
